package fleet

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/coppice-go/coppice/cmd/internal/find/profiles"
)

// A Row contains the values of one site in one profile. For a heap profile, the values are the
// allocations since the previous profile of the process, or since its start. For a CPU profile,
// they are samples. A row without a site contains the totals of the profile.
type Row struct {
	Time     time.Time `parquet:"time,timestamp(microsecond)"` // time of the profile; zero is 1970
	Service  string    `parquet:"service,dict"`                // label service, or service_name
	Version  string    `parquet:"version,dict"`
	Instance string    `parquet:"instance,dict"`
	Site     string    `parquet:"site,dict"` // format: package.function file:line
	Leaf     string    `parquet:"leaf,dict"` // same format: the standard library function that allocated for it
	Objects  int64     `parquet:"objects"`
	Bytes    int64     `parquet:"bytes"`
	InUse    int64     `parquet:"in_use"` // number of objects at that time
	CPU      int64     `parquet:"cpu"`    // number of samples; for a site, only samples in mallocgc
}

// A Parquet writes rows to a Parquet file, which DuckDB and ClickHouse can read. Set Options.Each
// to its Write method.
type Parquet struct {
	w       *parquet.GenericWriter[Row]
	pending int
}

// rowsInGroup is the number of rows that are buffered before they are written, about 10 MB.
const rowsInGroup = 100_000

// NewParquet returns a Parquet that writes to w.
func NewParquet(w io.Writer) *Parquet {
	return &Parquet{w: parquet.NewGenericWriter[Row](w, parquet.Compression(&parquet.Zstd))}
}

// Write adds rows to the file.
func (p *Parquet) Write(rows []Row) error {
	if _, err := p.w.Write(rows); err != nil {
		return err
	}
	if p.pending += len(rows); p.pending >= rowsInGroup {
		p.pending = 0
		return p.w.Flush()
	}
	return nil
}

// Close writes the remaining rows and the footer. It does not close the underlying writer.
func (p *Parquet) Close() error { return p.w.Close() }

// rows converts a digest to rows. The parameter before contains the allocations of the process up
// to the previous profile.
func (d *digest) rows(before *profiles.Heap) []Row {
	of := Row{Time: d.time, Service: cmp.Or(d.labels["service"], d.labels["service_name"]), Version: d.labels["version"], Instance: d.instance}
	if d.time.IsZero() {
		of.Time = time.Unix(0, 0)
	}
	var all []Row
	add := func(k *profiles.Key, after, before profiles.Objects, samples int) {
		r := of
		if k != nil {
			r.Site, r.Leaf = written(*k)
		}
		r.Objects, r.Bytes, r.InUse, r.CPU = after.Objects-before.Objects, after.Bytes-before.Bytes, after.InUse, int64(samples)
		all = append(all, r)
	}
	if d.heap != nil {
		add(nil, d.heap.Total, before.Total, 0)
		for k, o := range d.heap.Sites {
			if was := before.Sites[k]; o.Objects != was.Objects || o.Bytes != was.Bytes || o.InUse != 0 {
				add(&k, o, was, 0)
			}
		}
	}
	if d.cpu != nil {
		add(nil, profiles.Objects{}, profiles.Objects{}, d.cpu.Classes.Samples)
		for k, n := range d.cpu.Malloc {
			add(&k, profiles.Objects{}, profiles.Objects{}, n)
		}
	}
	slices.SortFunc(all, func(a, b Row) int { return cmp.Or(cmp.Compare(a.Site, b.Site), cmp.Compare(a.Leaf, b.Leaf)) })
	return all
}

// written formats the place and the leaf of a key as strings.
func written(k profiles.Key) (place, leaf string) {
	place = fmt.Sprintf("%s.%s %s:%d", k.Place.Package, k.Place.Function, k.Place.File, k.Place.Line)
	if l := k.Leaf; l.Package != "" {
		leaf = fmt.Sprintf("%s.%s %s:%d", l.Package, l.Function, l.File, l.Line)
	}
	return place, leaf
}

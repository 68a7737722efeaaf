package measure

import (
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/coppice-go/coppice/internal/machine"
	"github.com/coppice-go/coppice/workloads/internal/memory"
	"github.com/coppice-go/coppice/workloads/internal/selfreport"
)

// These are the numbers of repetitions of the phases. Each result is the mean over the repetitions.
const (
	walks       = 5
	lookups     = 20 // number of look-ups of every path
	copies      = 5  // number of timed copies, after an untimed copy to fresh memory
	collections = 10
)

// run is the measurement of one contender.
type run struct {
	documents []Document
	corpora   int
	live      []DOM // all documents in order, repeated corpora times
	totals    []Totals
	values    int    // number of values of all live documents
	before    uint64 // size of the Go heap in bytes before parsing
	figures   selfreport.Report
}

// Run runs all phases and returns the figures. It parses the documents often enough for at least
// 2^depth values. It writes the contents of the documents.
func Run(c Contender, documents []Document, depth int, out io.Writer) (selfreport.Report, error) {
	r := &run{documents: documents, figures: selfreport.Report{}}
	runtime.GC()
	r.before = heapBytes()
	since := selfreport.Start()
	if err := r.parse(c, depth); err != nil {
		return nil, err
	}
	for _, phase := range []func() error{r.walk, r.collect, r.get} {
		if err := phase(); err != nil {
			return nil, err
		}
	}
	copied, err := r.copy()
	if err != nil {
		return nil, err
	}
	if err := r.print(copied, out); err != nil {
		return nil, err
	}
	clear(copied)
	if err := r.load(); err != nil {
		return nil, err
	}
	if err := r.drop(); err != nil {
		return nil, err
	}
	total := 0.0
	for _, phase := range []string{"parse_s", "walk_s", "copy_s", "drop_s"} {
		total += r.figures[phase] * float64(r.values)
	}
	for name, v := range since.Report() {
		r.figures[name] = v
	}
	r.figures["total_s"] = total + r.figures["collection_s"]
	return r.figures, nil
}

// CorporaFor returns the number of times that documents with the given number of values are parsed.
func CorporaFor(values, depth int) int { return max(1, (1<<depth+values-1)/values) }

// parse creates all documents. It parses the first corpus separately, to count its values.
func (r *run) parse(c Contender, depth int) error {
	parser := c.New()
	first, err := r.parseCorpora(parser, 1)
	if err != nil {
		return err
	}
	for _, d := range r.live {
		var t Totals
		d.Walk(&t)
		r.totals = append(r.totals, t)
		r.values += t.Values()
	}
	r.corpora = CorporaFor(r.values, depth)
	need, limit := uint64(r.corpora)*uint64(r.values)*bytesPerValue, memory.LeastLimit()
	if need > limit.Bytes {
		return fmt.Errorf("depth %d takes about %d bytes, and %s has %d; take a smaller depth", depth, need, limit.Source, limit.Bytes)
	}
	rest, err := r.parseCorpora(parser, r.corpora-1)
	if err != nil {
		return err
	}
	r.values *= r.corpora
	r.figures["parse_s"] = (first + rest) / float64(r.values)
	return nil
}

// bytesPerValue is the maximum size of a value and its copy, in any contender.
const bytesPerValue = 400

func (r *run) parseCorpora(parser Parser, corpora int) (seconds float64, err error) {
	return cpu(func() error {
		for range corpora {
			for _, document := range r.documents {
				d, err := parser(document.Text)
				if err != nil {
					return fmt.Errorf("%s: %w", document.Name, err)
				}
				r.live = append(r.live, d)
			}
		}
		return nil
	})
}

func (r *run) walk() error {
	var all Totals
	seconds, err := cpu(func() error {
		for range walks {
			for _, d := range r.live {
				d.Walk(&all)
			}
		}
		return nil
	})
	r.figures["walk_s"] = seconds / float64(all.Values())
	if err == nil && all.Values() != walks*r.values {
		err = fmt.Errorf("%d walks met %d values where %d are live", walks, all.Values(), r.values)
	}
	return err
}

// collect forces collections, and measures the live bytes.
func (r *run) collect() error {
	runtime.GC() // collects the garbage of parsing, which is not measured
	seconds, err := cpu(func() error {
		for range collections {
			runtime.GC()
		}
		return nil
	})
	r.figures["collection_s"] = seconds / collections
	r.figures["value_bytes"] = (float64(heapBytes()) - float64(r.before)) / float64(r.values)
	return err
}

func heapBytes() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// get looks up all paths in all documents.
func (r *run) get() error {
	var paths [][]Path
	paths = slices.Grow(paths, len(r.documents))
	for _, d := range r.documents {
		paths = append(paths, pathsOf(d.Name))
	}
	count := 0
	seconds, err := cpu(func() error {
		for i, d := range r.live {
			for range lookups {
				answers(d, paths[i%len(paths)])
			}
			count += lookups * len(paths[i%len(paths)])
		}
		return nil
	})
	r.figures["get_s"] = seconds / float64(count)
	return err
}

// answers looks up the paths in one document, and combines the answers into one number.
func answers(d DOM, paths []Path) uint64 {
	var all uint64
	for _, p := range paths {
		all = 31*all + d.Get(p)
	}
	return all
}

// copy copies all documents several times, and returns the last copies.
func (r *run) copy() ([]DOM, error) {
	copied := make([]DOM, len(r.live))
	copyAll := func() error {
		for i, d := range r.live {
			copied[i] = d.Copy(copied[i])
		}
		return nil
	}
	total := 0.0
	for i := range 1 + copies {
		runtime.GC() // frees the earlier copies
		seconds, err := cpu(copyAll)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			total += seconds
		}
	}
	r.figures["copy_s"] = total / copies / float64(r.values)
	return copied, nil
}

// load saves every document and then loads it, if the contender can. Only loading is timed.
func (r *run) load() error {
	var stored [][]byte
	for _, d := range r.live {
		saver, ok := d.(Saver)
		if !ok {
			return nil
		}
		file, err := saver.Save()
		if err != nil {
			return err
		}
		stored = append(stored, file)
	}
	loaded := make([]DOM, len(stored))
	runtime.GC()
	seconds, err := cpu(func() (err error) {
		for i, d := range r.live {
			if loaded[i], err = d.(Saver).Load(stored[i]); err != nil {
				return err
			}
		}
		return nil
	})
	r.figures["load_s"] = seconds / float64(r.values)
	for i, d := range loaded {
		if err == nil && d.Sum() != r.live[i].Sum() {
			err = fmt.Errorf("document %d has another content after it was saved and loaded", i)
		}
	}
	return err
}

// print writes a line for each document, and compares all copies of it.
func (r *run) print(copied []DOM, out io.Writer) error {
	n := len(r.documents)
	for i, document := range r.documents {
		t, sum := r.totals[i], r.live[i].Sum()
		for j := i; j < len(r.live); j += n {
			if a, b := r.live[j].Sum(), copied[j].Sum(); a != sum || b != sum {
				return fmt.Errorf("%s, number %d: the content is %016x, that of its copy %016x, where it should be %016x", document.Name, j/n, a, b, sum)
			}
		}
		_, err := fmt.Fprintf(out, "%s: null %d, bool %d, number %d, string %d, array %d, object %d with %d members;"+
			" bytes of strings %d, of keys %d; numbers %016x, lookups %016x, content %016x\n",
			document.Name, t.Null, t.Bool, t.Number, t.String, t.Array, t.Object, t.Members,
			t.StringBytes, t.KeyBytes, t.NumberBits, answers(r.live[i], pathsOf(document.Name)), sum)
		if err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(out, "%d of each, %d values\n", r.corpora, r.values)
	return err
}

// drop frees everything.
func (r *run) drop() error {
	runtime.GC()
	seconds, err := cpu(func() error {
		for _, d := range r.live {
			d.Free()
		}
		r.live = nil
		runtime.GC()
		return nil
	})
	r.figures["drop_s"] = seconds / float64(r.values)
	return err
}

// cpu returns the CPU time that f uses, on all threads, in seconds.
func cpu(f func() error) (seconds float64, err error) {
	before, err := machine.OwnUsage()
	if err != nil {
		return 0, err
	}
	if err := f(); err != nil {
		return 0, err
	}
	after, err := machine.OwnUsage()
	return (after.CPU() - before.CPU()).Seconds(), err
}

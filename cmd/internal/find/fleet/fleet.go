package fleet

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"time"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// Options specifies how to read profiles. A field with the zero value has the default that its
// comment gives.
type Options struct {
	By    []string                     // labels that define the groups; by default service, service_name and version
	Mine  func(importPath string) bool // whether a package is in the target; see profiles.Scope
	Tree  *Tree                        // the source of the profiles, to detect profiles of another version; may be nil
	Times int                          // number of readings of an endpoint that answers at once, to get ages; 1
	Every time.Duration                // interval between two readings; 10 s
	Each  func([]Row) error            // gets the rows of each profile, one call at a time; may be nil. Its error ends Read

	Timeout     time.Duration // timeout for a response, beyond the server's collection time; 30 s
	MaxDownload int64         // maximum size of a profile as stored or sent, in bytes; 64 MB
	MaxSize     int64         // maximum uncompressed size of a profile, in bytes; 512 MB
	Client      *http.Client  // client for URLs; http.DefaultClient
}

func (o Options) withDefaults() *Options {
	if o.By == nil {
		o.By = []string{"service", "service_name", "version"}
	}
	if o.Times == 0 {
		o.Times = 1
	}
	if o.Every == 0 {
		o.Every = 10 * time.Second
	}
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
	if o.MaxDownload == 0 {
		o.MaxDownload = 64 << 20
	}
	if o.MaxSize == 0 {
		o.MaxSize = 512 << 20
	}
	if o.Client == nil {
		o.Client = http.DefaultClient
	}
	return &o
}

// A Result contains the totals of a fleet's profiles.
type Result struct {
	Groups     []*Group // one per set of labels; the group that allocates the most bytes is first
	Profiles   int      // number of profiles that were read
	Bad        int      // number of sources that could not be read
	BadFirst   []string // errors of the first bad sources
	Mismatched int      // number of profiles that do not match the source
	Mismatches []Mismatch

	counted map[string]bool // errors of bad sources, each counted once
}

// A Mismatch describes a profile that does not match the source, because its functions are at other
// positions there.
type Mismatch struct {
	Source          string
	Missed, Checked int        // numbers of places: missing in the source, and looked up there
	Example         site.Place // one of the missed places
}

const (
	// listed limits how many bad sources, and how many mismatches, are listed by name. The rest are
	// only counted.
	listed = 20
	// missesAllowed is the largest fraction of a profile's places that may be missing in the
	// source. If more are missing, the profile is assumed to come from a different version. A small
	// edit moves only a few lines out of their functions.
	missesAllowed = 0.05
)

// Read reads profiles from files, folders (including subfolders), net/http/pprof URLs, and
// Pyroscope servers (pyroscope+http://host:4040?selector={service_name="web"}&from=6h). If a source
// cannot be read, the result counts and names it. Read fails only if no source could be read, if
// ctx ended, or if Options.Each failed.
func Read(ctx context.Context, names []string, options Options) (*Result, error) {
	return ReadNamed(ctx, namesOf(Any, names), options)
}

// ReadNamed is like Read, but each Name also specifies the kind of profile to read.
func ReadNamed(ctx context.Context, names []Name, options Options) (*Result, error) {
	o := options.withDefaults()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := &Result{}
	sources := o.sources(ctx, names, r)
	skipped, read := map[Name]int{}, map[Name]int{} // numbers of profiles, for each folder and kind
	t := &table{by: o.By, groups: map[string]*group{}, files: files{}}
	o.stream(ctx, sources, func(d digest) {
		if d.err != nil {
			r.bad(d.err)
			return
		}
		from := Name{d.from, d.asked}
		if d.skipped {
			skipped[from]++
			return
		}
		read[from]++
		r.Profiles++
		if d.missed > 0 && float64(d.missed) > missesAllowed*float64(d.checked) {
			r.Mismatched++
			if len(r.Mismatches) < listed {
				r.Mismatches = append(r.Mismatches, Mismatch{Source: d.name, Missed: d.missed, Checked: d.checked, Example: d.example})
			}
		}
		before := t.add(d)
		if o.Each != nil && ctx.Err() == nil {
			if err := o.Each(d.rows(before)); err != nil {
				cancel(err)
			}
		}
	})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	r.missing(names, skipped, read)
	if r.Profiles == 0 {
		switch {
		case r.Bad == 0:
			return nil, errors.New("no source of profiles given; name a file, a folder or a URL")
		case r.Bad == 1:
			return nil, errors.New(r.BadFirst[0])
		}
		return nil, fmt.Errorf("none of %d sources could be read; the first error: %s", r.Bad, r.BadFirst[0])
	}
	r.Groups = t.result()
	return r, nil
}

// bad records that a source could not be read. It counts equal errors once, because a folder may be
// read for heap profiles and again for CPU profiles.
func (r *Result) bad(err error) {
	text := err.Error()
	if r.counted[text] {
		return
	}
	if r.counted == nil {
		r.counted = map[string]bool{}
	}
	r.counted[text] = true
	r.Bad++
	if len(r.BadFirst) < listed {
		r.BadFirst = append(r.BadFirst, text)
	}
}

// Warnings returns the warnings about the result, one line each: the sources that could not be
// read, and the profiles that do not match the source.
func (r *Result) Warnings() []string {
	var all []string
	for _, why := range r.BadFirst {
		all = append(all, "not read: "+why)
	}
	if more := r.Bad - len(r.BadFirst); more > 0 {
		all = append(all, fmt.Sprintf("not read: %d more", more))
	}
	for _, m := range r.Mismatches {
		all = append(all, fmt.Sprintf("%s does not match the source: %d of %d places are in no function of that name, such as %s.%s at %s:%d; check out the version that ran",
			m.Source, m.Missed, m.Checked, m.Example.Package, m.Example.Function, m.Example.File, m.Example.Line))
	}
	if more := r.Mismatched - len(r.Mismatches); more > 0 {
		all = append(all, fmt.Sprintf("%d more profiles do not match the source", more))
	}
	return all
}

// inFlight is the number of sources that are read concurrently. It is large because some servers
// collect a profile for seconds before they answer. At most GOMAXPROCS profiles are decoded at a
// time, so that only a few are in memory.
const inFlight = 16

// stream reads sources concurrently. It calls the function use for each digest, one at a time and
// in the order of the sources.
func (o *Options) stream(ctx context.Context, sources []source, use func(digest)) {
	type job struct {
		source source
		done   chan digest
	}
	jobs := make(chan job)
	order := make(chan job, inFlight)
	scopes := make(chan *digester, runtime.GOMAXPROCS(0))
	for range cap(scopes) {
		scopes <- newDigester(o)
	}
	for range inFlight {
		go func() {
			for j := range jobs {
				data, err := j.source.read(ctx)
				if err != nil {
					j.done <- digest{err: err}
					continue
				}
				d := <-scopes
				got := d.digest(j.source, data)
				scopes <- d
				j.done <- got
			}
		}()
	}
	go func() {
		defer close(order)
		defer close(jobs)
		for _, s := range sources {
			j := job{s, make(chan digest, 1)}
			select {
			case order <- j:
			case <-ctx.Done():
				return
			}
			// This cannot block forever, because all reads end with ctx.
			jobs <- j
		}
	}()
	for j := range order {
		use(<-j.done)
	}
}

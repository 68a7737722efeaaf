// Command peers measures package cache and the caches that Go programmers use today, one cache
// on one trace of ../spec.md. It is a separate module, so that Coppice does not depend on its
// peers.
//
//	peers -cache NAME -trace NAME [-mib 32] [-report FILE] DEPTH
//	peers -cache NAME -calibrate DEPTH
//	peers -answer -trace NAME DEPTH
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/workloads/internal/arguments"
)

const usage = "peers -cache NAME -trace NAME DEPTH"

// options are the flags.
type options struct {
	cache, trace, report string
	mib, bytes, depth    int
	answer, calibrate    bool
}

func main() {
	var o options
	flag.StringVar(&o.cache, "cache", "", "the cache: "+strings.Join(caches(), ", "))
	flag.StringVar(&o.trace, "trace", "", "the trace: "+strings.Join(names(), ", ")+"; with "+equal+" at the end all caches have the same resident memory")
	flag.IntVar(&o.mib, "mib", 32, "the bound of the cache, in MiB as it counts them")
	flag.IntVar(&o.bytes, "bytes", 0, "the bound in `bytes`, in place of any other")
	flag.BoolVar(&o.answer, "answer", false, "print the expected output only, without a cache")
	flag.BoolVar(&o.calibrate, "calibrate", false, "print the bound for traces with "+equal)
	flag.StringVar(&o.report, "report", "", "write figures as JSON to this `file`")
	o.depth = arguments.Number(1, 28, usage)
	if o.calibrate {
		o.trace = traces[0].name
	}
	t := slices.IndexFunc(traces, func(t trace) bool { return t.name == strings.TrimSuffix(o.trace, equal) })
	switch {
	case t < 0:
		arguments.Refuse(fmt.Sprintf("no trace %q; there are %s", o.trace, strings.Join(names(), ", ")), usage)
	case !o.answer && !slices.Contains(caches(), o.cache):
		arguments.Refuse(fmt.Sprintf("no cache %q; there are %s", o.cache, strings.Join(caches(), ", ")), usage)
	case o.mib < 1 || o.mib > 1<<20:
		arguments.Refuse(fmt.Sprintf("%d MiB are none of 1 to %d", o.mib, 1<<20), usage)
	case o.bytes < 0 || o.bytes > 1<<40:
		arguments.Refuse(fmt.Sprintf("%d bytes are none of 0 to %d", o.bytes, 1<<40), usage)
	}
	if err := o.do(traces[t]); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func (o options) do(t trace) error {
	if o.calibrate {
		bound, err := calibrate(o.cache, o.depth)
		if err == nil {
			fmt.Println(bound)
		}
		return err
	}
	nominal := room{o.mib << 20, t.value}
	bound := nominal.bytes
	if strings.HasSuffix(o.trace, equal) {
		nominal.bytes, bound = equalBytes, bounds[o.cache]
	}
	if o.bytes > 0 {
		bound = o.bytes
	}
	keys, err := draw(t, 1<<o.depth, nominal.entries())
	if err != nil {
		return err
	}
	if o.answer {
		fmt.Println(said(keys))
		return nil
	}
	line, figures, err := job{o.cache, room{bound, t.value}}.run(keys)
	if err != nil {
		return err
	}
	fmt.Println(line)
	return figures.Write(o.report)
}

// caches returns the names of the caches.
func caches() (all []string) {
	for _, r := range rivals {
		all = append(all, r.name)
	}
	return all
}

// names returns the names of the traces.
func names() (all []string) {
	for _, t := range traces {
		all = append(all, t.name)
	}
	return all
}

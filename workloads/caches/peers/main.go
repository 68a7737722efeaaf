// Command peers measures package cache and the caches that Go programmers use today, one cache on one trace of ../spec.md. It is a module of its own, so
// that Coppice does not depend on its peers.
//
//	peers -cache NAME -trace NAME [-mib 32] [-report FILE] DEPTH
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

func main() {
	var j job
	flag.StringVar(&j.cache, "cache", "", "the cache: "+strings.Join(caches(), ", "))
	name := flag.String("trace", "", "the trace: "+strings.Join(names(), ", "))
	flag.IntVar(&j.mib, "mib", 32, "the bound of the cache, in MiB as it counts them")
	answer := flag.Bool("answer", false, "print the expected output only, without a cache")
	report := flag.String("report", "", "write figures as JSON to this `file`")
	depth := arguments.Number(1, 28, usage)
	t := slices.IndexFunc(traces, func(t trace) bool { return t.name == *name })
	switch {
	case t < 0:
		arguments.Refuse(fmt.Sprintf("no trace %q; there are %s", *name, strings.Join(names(), ", ")), usage)
	case !*answer && !slices.Contains(caches(), j.cache):
		arguments.Refuse(fmt.Sprintf("no cache %q; there are %s", j.cache, strings.Join(caches(), ", ")), usage)
	case j.mib < 1 || j.mib > 1<<20:
		arguments.Refuse(fmt.Sprintf("%d MiB are none of 1 to %d", j.mib, 1<<20), usage)
	}
	keys := draw(traces[t], 1<<depth)
	if *answer {
		fmt.Println(said(keys))
		return
	}
	line, figures, err := j.run(keys)
	if err == nil {
		fmt.Println(line)
		err = figures.Write(*report)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

// caches returns the names of the caches.
func caches() (all []string) {
	for _, r := range rivals {
		all = append(all, r.name)
	}
	return all
}

// names returns those of the traces.
func names() (all []string) {
	for _, t := range traces {
		all = append(all, t.name)
	}
	return all
}

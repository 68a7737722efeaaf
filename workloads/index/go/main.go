// Command index measures indexes that map keys to numbers: Go's map, libraries that Go
// programmers use, and Coppice's containers. It is a separate module, so that Coppice does not
// depend on its peers. The problem is in ../spec.md.
//
//	index -strategy NAME -keys KIND [-goroutines 2] [-report FILE] DEPTH
//	index -strategy NAME -small ENTRIES [-report FILE] DEPTH
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/workloads/internal/arguments"
	"github.com/coppice-go/coppice/workloads/internal/selfreport"
)

const usage = "index -strategy NAME -keys KIND DEPTH"

// A kind is a type of keys, with the function that measures a strategy with such keys.
type kind struct {
	name string
	run  func(strategy string, n, goroutines int) (string, selfreport.Report, error)
}

var kinds = []kind{
	{"uint64", func(s string, n, g int) (string, selfreport.Report, error) {
		return run(append(ordered[uint64](), floor()), s, n, g, number)
	}},
	{"id", func(s string, n, g int) (string, selfreport.Report, error) {
		return run(identifiers(), s, n, g, identifier)
	}},
	{"word", func(s string, n, g int) (string, selfreport.Report, error) {
		return run(ordered[string](), s, n, g, word)
	}},
	{"url", func(s string, n, g int) (string, selfreport.Report, error) {
		return run(ordered[string](), s, n, g, url)
	}},
}

// many lists the strategies whose indexes several goroutines may use at the same time.
var many = []string{"xsync", "syncmap", "rwmutex", "sharded"}

func main() {
	strategy := flag.String("strategy", "", "the index: "+strings.Join(strategies(), ", "))
	keys := flag.String("keys", "uint64", "the `kind` of keys: uint64, id, word or url")
	goroutines := flag.Int("goroutines", 1, "how many goroutines use the index, 1 to 64")
	entries := flag.Int("small", 0, "instead of an index, measure many small maps of this many `entries`, 1 to 1000")
	report := flag.String("report", "", "write figures as JSON to this `file`")
	depth := arguments.Number(1, 28, usage)
	at := slices.IndexFunc(kinds, func(k kind) bool { return k.name == *keys })
	known := strategies()
	switch {
	case *entries > 0:
		known = smalls()
	case *goroutines > 1:
		known = many
	}
	switch {
	case at < 0:
		arguments.Refuse(fmt.Sprintf("no keys %q; there are uint64, id, word and url", *keys), usage)
	case *goroutines < 1 || *goroutines > 64:
		arguments.Refuse(fmt.Sprintf("%d goroutines are none of 1 to 64", *goroutines), usage)
	case *entries < 0 || *entries > 1000:
		arguments.Refuse(fmt.Sprintf("%d entries are none of 1 to 1000", *entries), usage)
	case !slices.Contains(known, *strategy):
		arguments.Refuse(fmt.Sprintf("no strategy %q; there are %s", *strategy, strings.Join(known, ", ")), usage)
	}
	var line string
	var figures selfreport.Report
	var err error
	if *entries > 0 {
		line, figures, err = runSmall(*strategy, depth, *entries)
	} else {
		line, figures, err = kinds[at].run(*strategy, 1<<depth, *goroutines)
	}
	if err == nil {
		fmt.Println(line)
		err = figures.Write(*report)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "index:", err)
		os.Exit(1)
	}
}

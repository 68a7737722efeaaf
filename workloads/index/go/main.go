// Command index measures indexes that map keys to numbers: Go's map, libraries that Go programmers take, and Coppice's containers. It is
// a module of its own, so that Coppice does not depend on its peers. The problem is in ../spec.md.
//
//	index -strategy NAME -keys KIND [-report FILE] DEPTH
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

// kinds are the kinds of keys, and what measures a strategy with them.
var kinds = []struct {
	name string
	run  func(strategy string, n int) (string, selfreport.Report, error)
}{
	{"uint64", func(s string, n int) (string, selfreport.Report, error) {
		return run(append(ordered[uint64](), floor()), s, n, number)
	}},
	{"id", func(s string, n int) (string, selfreport.Report, error) { return run(identifiers(), s, n, identifier) }},
	{"word", func(s string, n int) (string, selfreport.Report, error) { return run(ordered[string](), s, n, word) }},
	{"url", func(s string, n int) (string, selfreport.Report, error) { return run(ordered[string](), s, n, url) }},
}

func main() {
	strategy := flag.String("strategy", "", "the index: "+strings.Join(strategies(), ", "))
	kind := flag.String("keys", "uint64", "the `kind` of keys: uint64, id, word or url")
	report := flag.String("report", "", "write figures as JSON to this `file`")
	depth := arguments.Number(1, 28, usage)
	for _, k := range kinds {
		if k.name != *kind {
			continue
		}
		if !slices.Contains(strategies(), *strategy) {
			arguments.Refuse(fmt.Sprintf("no strategy %q; there are %s", *strategy, strings.Join(strategies(), ", ")), usage)
		}
		line, figures, err := k.run(*strategy, 1<<depth)
		if err == nil {
			fmt.Println(line)
			err = figures.Write(*report)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "index:", err)
			os.Exit(1)
		}
		return
	}
	arguments.Refuse(fmt.Sprintf("no keys %q; there are uint64, id, word and url", *kind), usage)
}

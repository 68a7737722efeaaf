// Command vectors builds, traverses and drops pages of objects that have a few small vectors each,
// with one way to store the elements. The problem is in ../spec.md.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/coppice-go/coppice/workloads/internal/arguments"
	"github.com/coppice-go/coppice/workloads/internal/selfreport"
)

// pageObjects is the number of objects on a page.
const pageObjects = 512

// ways maps names to ways to store the elements of a vector.
var ways = map[string]func(objects int) outcome{
	"slice":  render[sliceObject],
	"inline": render[inlineObject],
}

// An object has three vectors. Each way to store the vectors is a type that implements this
// interface.
type object[O any] interface {
	*O
	fill(g *generator)
	walk() uint64
}

type outcome struct{ elements, checksum uint64 }

// render does the work for one type of object.
func render[O any, P object[O]](objects int) outcome {
	g := generator{state: 1}
	var checksum uint64
	list := make([]O, pageObjects)
	for objects > 0 {
		page := list[:min(objects, pageObjects)]
		for i := range page {
			P(&page[i]).fill(&g)
		}
		for i := range page {
			checksum = 31*checksum + P(&page[i]).walk()
		}
		clear(page)
		objects -= len(page)
	}
	return outcome{g.elements, checksum}
}

const usage = "vectors -vector slice|inline [-report FILE] DEPTH"

func main() {
	way := flag.String("vector", "", "how to hold the elements")
	report := flag.String("report", "", "write figures as JSON to this `file`")
	depth := arguments.Number(0, 28, usage)
	work, known := ways[*way]
	if !known {
		arguments.Refuse(fmt.Sprintf("no vector %q", *way), usage)
	}
	since := selfreport.Start()
	result := work(1 << depth)
	figures := since.Report()
	fmt.Printf("%d objects, %d elements\nchecksum %d\n", 1<<depth, result.elements, result.checksum)
	if err := figures.Write(*report); err != nil {
		fmt.Fprintln(os.Stderr, "vectors:", err)
		os.Exit(1)
	}
}

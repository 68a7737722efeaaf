// Command expect prints the expected output of json for a depth. For the lab, it also prints to
// standard error the minimum number of bytes that the work allocates. It does not parse the
// documents: documents.txt contains their lines of output, which were checked with a parser in a
// different language.
package main

import (
	_ "embed"
	"fmt"
	"os"

	"github.com/coppice-go/coppice/workloads/internal/arguments"
	"github.com/coppice-go/coppice/workloads/json/go/measure"
)

//go:embed documents.txt
var documents string

// values is the number of values in all documents together.
const values = 223_033

func main() {
	depth := arguments.Number(0, measure.GreatestDepth, "expect DEPTH")
	corpora := measure.CorporaFor(values, depth)
	fmt.Print(documents)
	fmt.Printf("%d of each, %d values\n", corpora, corpora*values)
	// Two 4-byte words for each value, in a document and in a copy.
	fmt.Fprintf(os.Stderr, "least every-value %d\n", 2*8*corpora*values)
}

// Command expect prints what a solution of json must print for a depth, and on standard
// error how many bytes the work takes at least, for the lab. What the documents contain it does not work
// out: documents.txt says so, and was checked with another language's parser.
package main

import (
	_ "embed"
	"fmt"
	"os"

	"github.com/coppice-go/coppice/internal/arguments"
	"github.com/coppice-go/coppice/workloads/json/go/measure"
)

//go:embed documents.txt
var documents string

// values is how many there are in all documents together.
const values = 223_033

func main() {
	depth := arguments.Number(0, measure.GreatestDepth, "expect DEPTH")
	corpora := measure.CorporaFor(values, depth)
	fmt.Print(documents)
	fmt.Printf("%d of each, %d values\n", corpora, corpora*values)
	// A value of two words and a reference, in a document and in a copy.
	fmt.Fprintf(os.Stderr, "least every-value %d\n", 2*8*corpora*values)
}

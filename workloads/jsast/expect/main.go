// Command expect prints the expected output of jsast for a depth. It does not parse the source: the
// answers were computed with the parser's own tree. Node accepts the modules that were printed at
// depths 3, 9 and 12. There was no other check that these modules behave like the source.
package main

import (
	"embed"
	"fmt"
	"os"

	"github.com/coppice-go/coppice/workloads/internal/arguments"
	"github.com/coppice-go/coppice/workloads/jsast/source"
)

//go:embed answers
var answers embed.FS

func main() {
	depth := arguments.Number(0, source.GreatestDepth, "expect DEPTH")
	answer, err := answers.ReadFile(fmt.Sprintf("answers/%02d.txt", depth))
	if err != nil {
		fmt.Fprintln(os.Stderr, "expect:", err)
		os.Exit(1)
	}
	os.Stdout.Write(answer)
}

// Command expect prints the expected output of treeserver for a depth. It parses nothing: the
// answers were computed with the parsers' own trees.
package main

import (
	"embed"
	"fmt"
	"os"

	"github.com/coppice-go/coppice/workloads/internal/arguments"
	"github.com/coppice-go/coppice/workloads/treeserver/source"
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

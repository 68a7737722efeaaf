// Command coppice-vet runs the rules of package vet under `go vet -vettool`. The go command calls
// it once for each package, in parallel, and caches the results. docs/VET.md is the manual. With
// -coppicefix.from, it also offers the changes that coppice find proposes.
package main

import (
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/coppice-go/coppice/cmd/internal/fix/analyzer"
	"github.com/coppice-go/coppice/cmd/vet"
)

func main() { unitchecker.Main(append(vet.Analyzers(), analyzer.Analyzer)...) }

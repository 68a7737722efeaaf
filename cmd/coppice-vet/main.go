// Command coppice-vet runs the rules of package vet under `go vet -vettool`. The go command calls it
// once for each package, in parallel, and caches the results. docs/VET.md is the manual.
package main

import (
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/coppice-go/coppice/cmd/vet"
)

func main() { unitchecker.Main(vet.Analyzers()...) }

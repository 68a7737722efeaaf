// Command coppice-vet is the rules of package vet for `go vet -vettool`, which calls it
// once for each package, in parallel, and caches what it says. docs/VET.md is the manual.
package main

import (
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/coppice-go/coppice/vet"
)

func main() { unitchecker.Main(vet.Analyzers()...) }

package golangci_test

import (
	"fmt"

	"github.com/coppice-go/coppice/golangci"
)

func ExampleNew() {
	l, err := golangci.New(map[string]any{"rules": []string{"stalevalue"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	analyzers, err := l.BuildAnalyzers()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range analyzers {
		fmt.Println(a.Name)
	}
	// Output: stalevalue
}

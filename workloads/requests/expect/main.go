// Command expect prints the expected output of requests for a depth: the checksums of the answers,
// computed from the corpus alone.
package main

import (
	"fmt"

	"github.com/coppice-go/coppice/workloads/internal/arguments"
	"github.com/coppice-go/coppice/workloads/requests/go/corpus"
	"github.com/coppice-go/coppice/workloads/requests/go/load"
)

func main() {
	requests := 1 << arguments.Number(0, 20, "expect DEPTH")
	sheets := corpus.First(requests)
	var checksum uint64
	for i := range requests {
		checksum += load.Checksum(i, sheets[i%len(sheets)].Answer)
	}
	for _, loop := range []string{"closed", "open"} {
		fmt.Printf("%s loop: %d answers, checksum %016x\n", loop, requests, checksum)
	}
}

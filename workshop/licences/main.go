// Command licences lists the third-party modules that this repository imports, with their licences,
// in docs/LICENCES.md. It reads only the module cache. It fails if a module has a licence that it
// does not recognize or that is not allowed here.
//
//	go run ./workshop/licences
//	go run ./workshop/licences -notice FILE    writes what binaries of a release carry, and no list
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
)

// document is the path of the list, relative to the root of the source tree.
const document = "docs/LICENCES.md"

func main() {
	file := flag.String("notice", "", "write the NOTICE of the programs to this `file`, and no list")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	write, to := list, filepath.FromSlash(document)
	if *file != "" {
		write, to = notice, *file
	}
	text, err := write(ctx, ".")
	if err == nil {
		err = os.WriteFile(to, text, 0o666)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "licences: %v\n", err)
		os.Exit(1)
	}
}

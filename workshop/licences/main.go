// Command licences lists the modules of others that this repository imports, with their licences,
// in docs/LICENCES.md. It reads the module cache only. It fails if a module has no licence that it
// knows and that is allowed here.
//
//	go run ./workshop/licences
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
)

// document is the list, relative to the root of the tree.
const document = "docs/LICENCES.md"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	text, err := list(ctx, ".")
	if err == nil {
		err = os.WriteFile(filepath.FromSlash(document), text, 0o666)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "licences: %v\n", err)
		os.Exit(1)
	}
}

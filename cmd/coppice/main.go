// Command coppice is the toolkit. It measures the cost of allocation strategies (lab), finds
// misuse of the allocators in source code (vet), and generates packages of flat trees from Go
// types (flat). `coppice -help` lists the commands; docs/LAB.md, docs/VET.md and docs/FLAT.md
// are the manuals.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

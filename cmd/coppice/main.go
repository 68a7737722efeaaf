// Command coppice is the toolkit: it measures what ways to allocate cost (lab), finds
// misuse of the allocators in source code (vet), and compiles trees of Go types into packages that
// keep them in one buffer (flat). `coppice -help` lists what it can do; docs/LAB.md, docs/VET.md
// and docs/FLAT.md are the manuals.
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

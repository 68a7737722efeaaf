// Command coppice finds out what allocation costs a program (find), makes the changes that help
// (fix) and measures whether changes help (prove). It also measures allocation strategies (lab),
// finds misuse of the allocators in source code (vet), and generates flat-tree packages from Go
// types (flat). `coppice -help` lists the commands; each has a manual in docs.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), append(hangup(), os.Interrupt, syscall.SIGTERM)...)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

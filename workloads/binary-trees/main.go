// Command binary-trees is the classic benchmark with a choice of allocator. It builds,
// counts and drops many perfect binary trees while one stays live, and prints the output
// that the Computer Language Benchmarks Game specifies.
//
//	go run ./workloads/binary-trees -allocator slab -stats 21
//
// `binary-trees -help` lists the flags, `binary-trees -allocator list` the
// allocators. The problem and its solutions are in workloads/binary-trees, the claims
// in docs/CLAIMS.md.
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

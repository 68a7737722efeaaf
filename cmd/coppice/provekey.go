package main

import (
	"strings"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
	"github.com/coppice-go/coppice/cmd/internal/prove"
)

// keyed parses the value of -key: a key with its values, as in impl=old,new, or a list of benchmark
// names or parts of names, as in Old,New.
func (o *proveFlags) keyed() (k prove.Key, err error) {
	if o.base != "" || len(o.patches) > 0 {
		return k, cli.Usagef("-key compares benchmarks of one tree: leave out -base and -patch")
	}
	name, values, found := strings.Cut(o.key, "=")
	if !found {
		name, values = "", o.key
	}
	k = prove.Key{Name: name, Values: cli.List(values)}
	if len(k.Values) < 2 || found && name == "" || strings.ContainsAny(o.key, "/*") {
		return k, cli.Usagef("invalid -key %s: must name two benchmarks: impl=old,new for BenchmarkX/impl=old and BenchmarkX/impl=new, or Old,New for BenchmarkOld and BenchmarkNew", o.key)
	}
	return k, nil
}

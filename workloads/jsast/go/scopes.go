package main

import (
	"fmt"
	"strconv"
)

// resolution counts the uses of variables: of the same function, of an enclosing function, or
// undeclared. hops counts the functions between a use and the declaration. captured counts the
// variables that an inner function uses.
type resolution struct{ own, outer, undeclared, hops, captured int }

func (r resolution) String() string {
	return fmt.Sprintf("%d uses of own variables, %d of outer ones through %d functions, %d of undeclared ones; %d variables captured",
		r.own, r.outer, r.hops, r.undeclared, r.captured)
}

// A namer generates new names for variables. Each number has one name, so equal scopes have equal
// names.
type namer struct {
	names   [][]byte
	renamed int
}

func (n *namer) name(i int) []byte {
	n.renamed++
	for len(n.names) <= i {
		n.names = append(n.names, []byte("$"+strconv.FormatInt(int64(len(n.names)), 36)))
	}
	return n.names[i]
}

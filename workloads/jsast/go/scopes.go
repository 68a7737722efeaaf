package main

import (
	"fmt"
	"strconv"
)

// resolution says what the uses of variables mean: variables of the same function, of one around
// it, or of nobody. Hops are the functions between a use and the declaration; captured are the
// variables that any use finds in a function around it.
type resolution struct{ own, outer, undeclared, hops, captured int }

func (r resolution) String() string {
	return fmt.Sprintf("%d uses of own variables, %d of outer ones through %d functions, %d of undeclared ones; %d variables captured",
		r.own, r.outer, r.hops, r.undeclared, r.captured)
}

// A namer makes new names for variables: the number i has one name, and equal scopes have equal
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

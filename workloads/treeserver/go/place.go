package main

import "fmt"

// A rule is the reason for a place in an answer.
type rule uint8

const (
	reference       rule = iota
	elseAfterReturn      // an else after a block that ends with a return
	boolCompared         // == or != with true or false
	unusedParameter      // a parameter that the body of its function never names
	looseEquality        // == or != in JavaScript
)

// A place is what a query finds. The trees of JavaScript have no positions: a file has at most one
// place for each rule, and the field at is the number of occurrences.
type place struct {
	file, at uint32
	rule     rule
}

// A digest is the printed summary of the answers to queries of one kind. The order of places
// within an answer does not matter.
type digest struct {
	queries, places int
	sum             uint64
}

// add adds the answer to the query with the given index.
func (d *digest) add(query int, found []place) {
	d.queries++
	d.places += len(found)
	for _, p := range found {
		h := uint64(query)<<32 ^ uint64(p.file)
		h = (h ^ h>>31) * 0x9e3779b97f4a7c15
		h ^= uint64(p.rule)<<32 ^ uint64(p.at)
		h = (h ^ h>>29) * 0xbf58476d1ce4e5b9
		d.sum += h ^ h>>32
	}
}

func (d *digest) String() string {
	return fmt.Sprintf("%d places in %d answers, sum %016x", d.places, d.queries, d.sum)
}

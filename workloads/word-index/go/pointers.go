package main

import (
	"hash/maphash"
	"math/bits"
)

// entry is one word in the chain of a bucket.
type entry struct {
	word  string
	count int
	next  *entry
}

// pointers is a hash table whose entries point to each other. The collector follows
// every bucket, every next and every word.
type pointers struct {
	buckets []*entry
	seed    maphash.Seed
}

func newPointers(words int) (index, error) {
	return &pointers{make([]*entry, 1<<bits.Len(uint(words))), maphash.MakeSeed()}, nil
}

func (p *pointers) bucket(word string) **entry {
	return &p.buckets[maphash.String(p.seed, word)&uint64(len(p.buckets)-1)]
}

func (p *pointers) add(word string) {
	bucket := p.bucket(word)
	for e := *bucket; e != nil; e = e.next {
		if e.word == word {
			e.count++
			return
		}
	}
	*bucket = &entry{word, 1, *bucket}
}

func (p *pointers) count(word string) int {
	for e := *p.bucket(word); e != nil; e = e.next {
		if e.word == word {
			return e.count
		}
	}
	return 0
}

func (*pointers) close() error { return nil }

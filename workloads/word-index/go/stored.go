package main

import (
	"hash/maphash"
	"math/bits"

	"github.com/coppice-go/coppice/store"
)

// record is an entry without pointers: 16 bytes instead of 32, and the collector scans none of
// them.
type record struct {
	word  store.Text
	count uint32
	next  store.Ref[record]
}

// stored is the hash table of pointers.go, with the entries in a Store and the words
// in its text region.
type stored struct {
	buckets []store.Ref[record]
	records *store.Store[record]
	seed    maphash.Seed
}

func newStored(words int) (index, error) {
	records, err := store.New[record](store.Options{Max: words, Name: "word-index"})
	if err != nil {
		return nil, err
	}
	return &stored{make([]store.Ref[record], 1<<bits.Len(uint(words))), records, maphash.MakeSeed()}, nil
}

func (s *stored) bucket(word string) *store.Ref[record] {
	return &s.buckets[maphash.String(s.seed, word)&uint64(len(s.buckets)-1)]
}

// find returns the record of the word in a chain, or nil.
func (s *stored) find(r store.Ref[record], word string) *record {
	for r != 0 {
		e := s.records.At(r)
		if string(s.records.TextBytes(e.word)) == word { // compares without a copy
			return e
		}
		r = e.next
	}
	return nil
}

func (s *stored) add(word string) {
	bucket := s.bucket(word)
	if e := s.find(*bucket, word); e != nil {
		e.count++
		return
	}
	*bucket = s.records.Alloc(record{s.records.AllocText(word), 1, *bucket})
}

func (s *stored) count(word string) int {
	if e := s.find(*s.bucket(word), word); e != nil {
		return int(e.count)
	}
	return 0
}

func (s *stored) close() error { return s.records.Close() }

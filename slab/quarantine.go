package slab

import (
	"encoding/binary"
	"fmt"

	"github.com/coppice-go/coppice/internal/checks"
)

// A quarantine is used in checked builds. It holds the chunks that one Reset has freed, until the
// next Reset. They are zeroed, and nothing may write to them. A slot that is not zero when its
// chunk leaves the quarantine was written through a stale pointer.
type quarantine struct {
	chunks  [][]slot
	resetAt checks.Place
	text    bool // T is uint64, and an arena stores strings in it: slots read as staleText
}

// staleText, repeated, fills the memory of an arena's strings while that memory is in quarantine.
// It is one word long.
const staleText = "<stale!>"

// enter quarantines chunks that are zeroed. resetAt is the call site of the Reset.
func (q *quarantine) enter(chunks [][]slot, resetAt checks.Place) {
	q.chunks, q.resetAt = chunks, resetAt
	if q.text {
		stale := binary.NativeEndian.Uint64([]byte(staleText))
		for _, c := range chunks {
			words := words(c)
			for i := range words {
				words[i] = stale
			}
		}
	}
}

// leave returns the chunks. It panics if one of their slots was written to while they were in
// quarantine. The panic message begins with where, the name of the caller.
func (q *quarantine) leave(where string, k *kind) [][]slot {
	chunks := q.chunks
	q.chunks = nil
	for _, c := range chunks {
		if q.text {
			eraseText(words(c))
		}
		if k.nonZero(c) {
			panic(fmt.Sprintf("%s: a %s was written after the Reset at %s had taken it back",
				where, k.typ, q.resetAt))
		}
	}
	return chunks
}

// eraseText zeroes each word that still contains staleText. A word that was written to becomes
// non-zero, so that the write is detected.
func eraseText(words []uint64) {
	stale := binary.NativeEndian.Uint64([]byte(staleText))
	for i, word := range words {
		words[i] = word ^ stale
	}
}

// slots returns the number of slots in the quarantine.
func (q *quarantine) slots() (sum int) {
	for _, c := range q.chunks {
		sum += len(c)
	}
	return sum
}

package slab

import (
	"encoding/binary"
	"fmt"

	"github.com/coppice-go/coppice/internal/checks"
)

// A quarantine detects writes through stale pointers in checked builds. It holds the chunks that a
// Reset has freed, until the next Reset. The chunks are zeroed, and nothing may write to them. If a
// slot is not zero when its chunk leaves the quarantine, it was written to through a stale pointer.
type quarantine struct {
	chunks  [][]slot
	resetAt checks.Place
	text    bool // T is uint64 and holds an arena's strings, so slots are filled with staleText
}

// staleText is the word that fills the memory of an arena's strings while the memory is
// quarantined.
const staleText = "<stale!>"

// enter quarantines chunks, which must be zeroed. resetAt is the call site of the Reset that freed
// them.
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

// leave ends the quarantine and returns the chunks. It panics if one of their slots was written to
// while they were in quarantine. The parameter where names the caller, for the panic message.
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

// eraseText zeroes each word that still contains staleText. A word that was overwritten becomes
// non-zero, so that leave detects the write.
func eraseText(words []uint64) {
	stale := binary.NativeEndian.Uint64([]byte(staleText))
	for i, word := range words {
		words[i] = word ^ stale
	}
}

// slots returns the total number of slots of the chunks in the quarantine.
func (q *quarantine) slots() (sum int) {
	for _, c := range q.chunks {
		sum += len(c)
	}
	return sum
}

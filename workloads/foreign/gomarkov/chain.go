package main

import (
	"errors"
	"fmt"

	"github.com/mb-14/gomarkov"

	"github.com/coppice-go/coppice/btree"
	"github.com/coppice-go/coppice/symbols"
)

// A markov is gomarkov's Chain for one goroutine, with its data in our containers. The states
// are symbols, numbered in the order in which they first occur. The key of a count is a pair of
// states, so that the successors of a state are adjacent.
type markov struct {
	order  int
	states *symbols.Table
	counts *btree.Map[uint64, uint32]
	key    []byte
}

func newChain(order int) (*markov, error) {
	states, err := symbols.New(symbols.Options{Name: "states"})
	if err != nil {
		return nil, err
	}
	counts, err := btree.New[uint64, uint32](btree.Options{Name: "counts"})
	if err != nil {
		return nil, errors.Join(err, states.Close())
	}
	return &markov{order: order, states: states, counts: counts}, nil
}

// Add counts the words that follow each state in a sequence of words.
func (m *markov) Add(input []string) {
	tokens := make([]string, 0, len(input)+2*m.order)
	for range m.order {
		tokens = append(tokens, gomarkov.StartToken)
	}
	tokens = append(tokens, input...)
	for range m.order {
		tokens = append(tokens, gomarkov.EndToken)
	}
	for i := range len(tokens) - m.order {
		current := m.states.InternBytes(m.keyOf(tokens[i : i+m.order]))
		next := m.states.Intern(tokens[i+m.order])
		m.counts.Update(pair(current, next), func(n uint32, _ bool) uint32 { return n + 1 })
	}
}

// keyOf joins words as gomarkov does.
func (m *markov) keyOf(words []string) []byte {
	m.key = m.key[:0]
	for i, word := range words {
		if i > 0 {
			m.key = append(m.key, '_')
		}
		m.key = append(m.key, word...)
	}
	return m.key
}

func pair(current, next symbols.Symbol) uint64 { return uint64(current)<<32 | uint64(next) }

// sum returns the number of times that a state was followed by any word.
func (m *markov) sum(current symbols.Symbol) (sum int) {
	for _, n := range m.counts.Range(pair(current, 0), pair(current+1, 0)) {
		sum += int(n)
	}
	return sum
}

// TransitionProbability returns the share of next among the words that followed current.
func (m *markov) TransitionProbability(next string, current gomarkov.NGram) (float64, error) {
	if len(current) != m.order {
		return 0, errors.New("N-gram length does not match chain order")
	}
	from, known := m.states.LookupBytes(m.keyOf(current))
	to, knownToo := m.states.Lookup(next)
	if !known || !knownToo {
		return 0, nil
	}
	n, _ := m.counts.Get(pair(from, to))
	return float64(n) / float64(m.sum(from)), nil
}

// GenerateDeterministic draws a successor of current.
func (m *markov) GenerateDeterministic(current gomarkov.NGram, prng gomarkov.PRNG) (string, error) {
	if len(current) != m.order {
		return "", errors.New("N-gram length does not match chain order")
	}
	if current[len(current)-1] == gomarkov.EndToken {
		return "", nil
	}
	from, known := m.states.LookupBytes(m.keyOf(current))
	if !known {
		return "", fmt.Errorf("unknown ngram %v", current)
	}
	drawn := prng.Intn(m.sum(from))
	for k, n := range m.counts.Range(pair(from, 0), pair(from+1, 0)) {
		if drawn -= int(n); drawn <= 0 {
			return m.states.String(symbols.Symbol(k)), nil
		}
	}
	return "", nil
}

// Close releases the memory of both containers.
func (m *markov) Close() error { return errors.Join(m.states.Close(), m.counts.Close()) }

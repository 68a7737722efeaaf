// Package corpus makes the sheets that the experiment sends, and their answers. It
// computes the answers from the numbers that it writes into a sheet, and knows nothing
// of the language: they are a check on the parser and the evaluator that shares no code
// with them.
package corpus

import (
	"bytes"
	"math"
	"math/rand/v2"
)

// Count is how many different sheets there are: request i sends number i modulo Count.
const Count = 512

// Sheets have at least so many bytes, and hardly more than the greatest; between the two
// their sizes are spread evenly over the powers.
const (
	least    = 2 << 10
	greatest = 64 << 10
)

// A Sheet is the body of a request, and the answer to it.
type Sheet struct{ Source, Answer []byte }

// New makes sheet number i. It is the same in every process.
func New(i int) Sheet {
	random := rand.New(rand.NewPCG(7, uint64(i)))
	o := order{number: i, rate: 5 + random.Int64N(20)}
	size := int(least * math.Pow(greatest/least, random.Float64()))
	var w bytes.Buffer
	for o.writeHead(&w); w.Len() < size-len(formulas); {
		l := draw(random)
		o.lines = append(o.lines, l)
		l.write(&w)
	}
	w.WriteString(formulas)
	return Sheet{w.Bytes(), o.answer()}
}

// First makes the different sheets that so many requests send.
func First(requests int) []Sheet {
	all := make([]Sheet, min(requests, Count))
	for i := range all {
		all[i] = New(i)
	}
	return all
}

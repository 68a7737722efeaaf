// Package corpus generates the sheets that the experiment sends, and their answers. It computes the
// answers from the numbers that it writes into a sheet, without parsing. So the answers check the
// parser and the evaluator, and share no code with them.
package corpus

import (
	"bytes"
	"math"
	"math/rand/v2"
)

// Count is the number of different sheets: request i sends sheet i modulo Count.
const Count = 512

// These are the minimum and the approximate maximum size of a sheet in bytes. The sizes are
// distributed evenly on a logarithmic scale.
const (
	least    = 2 << 10
	greatest = 64 << 10
)

// A Sheet is the body of a request, and the answer to it.
type Sheet struct{ Source, Answer []byte }

// New generates the sheet with index i. It is the same in every process.
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

// First generates the different sheets for the given number of requests.
func First(requests int) []Sheet {
	all := make([]Sheet, min(requests, Count))
	for i := range all {
		all[i] = New(i)
	}
	return all
}

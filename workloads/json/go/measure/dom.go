// Package measure runs the work of ../../spec.md for one contender: it parses the documents, times
// the phases, and prints the contents of the documents.
package measure

import (
	"math"
	"math/bits"
)

// A DOM is a document in the form of a contender.
type DOM interface {
	// Walk visits every value and adds it to the totals.
	Walk(t *Totals)
	// Get follows a path, as a user of the contender would, and returns an Answer.
	Get(p Path) uint64
	// Copy returns a document that shares nothing mutable with this one. old is an earlier copy
	// that is no longer needed, or nil.
	Copy(old DOM) DOM
	// Sum returns a checksum of the whole content, computed by the functions Sum... below.
	Sum() uint64
	// Free frees the document. It does nothing if the collector frees it.
	Free()
}

// A Saver is a DOM with a storage format that needs no parsing.
type Saver interface {
	DOM
	// Save returns the stored form.
	Save() ([]byte, error)
	// Load validates a stored form and creates a document from it.
	Load(stored []byte) (DOM, error)
}

// A Parser creates a document from a text.
type Parser func(text []byte) (DOM, error)

// A Contender is one way to keep documents.
type Contender struct {
	Name string
	New  func() Parser
}

// Totals contains the counts of a traversal.
type Totals struct {
	Null, Bool, Number, String, Array, Object int

	Members     int
	NumberBits  uint64 // the sum of the bits of all numbers, independent of their order
	StringBytes int
	KeyBytes    int
}

// Values returns the number of visited values.
func (t *Totals) Values() int {
	return t.Null + t.Bool + t.Number + t.String + t.Array + t.Object
}

// AddNumber counts a number.
func (t *Totals) AddNumber(v float64) {
	t.Number++
	t.NumberBits += math.Float64bits(v)
}

// AddString counts a string.
func (t *Totals) AddString(length int) {
	t.String++
	t.StringBytes += length
}

// AddMember counts a member of an object, without its value.
func (t *Totals) AddMember(keyLength int) {
	t.Members++
	t.KeyBytes += keyLength
}

// These are the answers of Get. The answer for a number is its bits.
const (
	Absent     uint64 = iota // also for paths through a value that has no members
	AnswerNull               // null
	AnswerFalse
	AnswerTrue
	AnswerArray
	AnswerObject
	answerString
)

// AnswerNumber is the answer to a path to a number.
func AnswerNumber(v float64) uint64 { return math.Float64bits(v) }

// AnswerString is the answer to a path to a string of that length.
func AnswerString(length int) uint64 { return answerString + uint64(length) }

// AnswerBool is the answer to a path to a bool.
func AnswerBool(v bool) uint64 {
	if v {
		return AnswerTrue
	}
	return AnswerFalse
}

// mix combines two numbers.
func mix(a, b uint64) uint64 {
	high, low := bits.Mul64(a^0x9e3779b97f4a7c15, b^0xd6e8feb86659fd93)
	return high ^ low
}

// These are the sums of values without content.
const (
	SumNull  uint64 = 1
	SumFalse uint64 = 2
	SumTrue  uint64 = 3
)

// SumBool is the sum of a bool.
func SumBool(v bool) uint64 {
	if v {
		return SumTrue
	}
	return SumFalse
}

// SumNumber is the sum of a number.
func SumNumber(v float64) uint64 { return mix(4, math.Float64bits(v)) }

// SumString is the sum of a string: FNV-1a.
func SumString[text string | []byte](s text) uint64 {
	sum := uint64(14695981039346656037)
	for i := range len(s) {
		sum = (sum ^ uint64(s[i])) * 1099511628211
	}
	return mix(5, sum)
}

// SumItem adds an item to the sum of an array, which starts as 6.
func SumItem(array, item uint64) uint64 { return mix(array, item) }

// SumMember adds a member to the sum of an object, which starts as 7. The order of the members
// does not matter.
func SumMember[text string | []byte](object uint64, key text, value uint64) uint64 {
	return object + mix(SumString(key), value)
}

// These are the initial sums of arrays and objects.
const (
	SumArray  uint64 = 6
	SumObject uint64 = 7
)

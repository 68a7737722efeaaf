package avoidcopy

import (
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
)

// advice maps functions of the standard library that return a copy to the kind of their
// alternative, followed by the advice on what to do instead.
var advice = remedy.Calls(copies)

// copies is the source of the map advice. Each line lists functions that copy their argument even
// if they change nothing, or even if the caller only reads the result. The line then states the
// kind of the alternative and the advice, which continues a sentence that begins with the
// function's name.
const copies = `
bytes.Replace bytes.ReplaceAll bytes.ToLower bytes.ToUpper bytes.ToTitle bytes.Map bytes.ToValidUTF8 | shares | copies even if it changes nothing: check first (bytes.Contains, bytes.IndexFunc)
bytes.Clone strings.Clone slices.Clone maps.Clone | shares | makes a copy: if no code changes it, it can be shared with the original
bytes.Buffer.String | shares | copies what Bytes returns without a copy, and strings.Builder builds without one
bufio.Scanner.Text | lends | copies what Bytes returns without a copy
bufio.Reader.ReadString bufio.Reader.ReadBytes | lends | copies what ReadSlice returns without a copy
strings.Split | iterates | makes a slice of the parts: strings.SplitSeq yields them without one, and strings.Cut returns two parts
bytes.Split | iterates | makes a slice of the parts: bytes.SplitSeq yields them without one, and bytes.Cut returns two parts
strings.SplitN | cuts | makes a slice of the parts: strings.Cut returns two parts without one
bytes.SplitN | cuts | makes a slice of the parts: bytes.Cut returns two parts without one
strings.SplitAfter | iterates | makes a slice of the parts: strings.SplitAfterSeq yields them without one
bytes.SplitAfter | iterates | makes a slice of the parts: bytes.SplitAfterSeq yields them without one
strings.Fields | iterates | makes a slice of the parts: strings.FieldsSeq yields them without one
bytes.Fields | iterates | makes a slice of the parts: bytes.FieldsSeq yields them without one
strings.FieldsFunc | iterates | makes a slice of the parts: strings.FieldsFuncSeq yields them without one
bytes.FieldsFunc | iterates | makes a slice of the parts: bytes.FieldsFuncSeq yields them without one
slices.Collect | iterates | makes a slice of what an iterator yields: a loop over the iterator needs none
`

// kind classifies alternatives to a copy by their effect, which determines their price.
type kind string

const (
	shares   kind = "shares"   // returns the original, or a part of it
	lends    kind = "lends"    // returns memory that is valid until the next call
	iterates kind = "iterates" // yields the parts one by one to the body of a loop
	cuts     kind = "cuts"     // returns the parts as separate results, which share as before
)

// alternative returns the kind of the alternative to a call that copies, and the advice on what to
// do instead. If there is no alternative, both results are empty.
func alternative(callee string) (is kind, do string) {
	first, do, _ := strings.Cut(advice[remedy.Callee(callee)], " | ")
	return kind(first), do
}

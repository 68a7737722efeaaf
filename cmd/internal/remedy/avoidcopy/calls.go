package avoidcopy

import (
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
)

// copying has the alternative to each function of the standard library that returns a copy.
var copying = remedy.Calls(copies)

// copies is the table of copying: functions that copy even if they change nothing, or even if
// the caller only reads. With the name of the function before it, each text is a sentence.
const copies = `
bytes.Replace bytes.ReplaceAll bytes.ToLower bytes.ToUpper bytes.ToTitle bytes.Map bytes.ToValidUTF8 | copies even if it changes nothing: check first (bytes.Contains, bytes.IndexFunc)
bytes.Clone strings.Clone slices.Clone maps.Clone | makes a copy: if no code changes it, it can be shared with the original
bytes.Buffer.String | copies what Bytes returns without a copy, and strings.Builder builds without one
bufio.Scanner.Text | copies what Bytes returns without a copy
bufio.Reader.ReadString bufio.Reader.ReadBytes | copies what ReadSlice returns without a copy
strings.Split | makes a slice of the parts: strings.SplitSeq yields them without one, and strings.Cut returns two parts
bytes.Split | makes a slice of the parts: bytes.SplitSeq yields them without one, and bytes.Cut returns two parts
strings.SplitN | makes a slice of the parts: strings.Cut returns two parts without one
bytes.SplitN | makes a slice of the parts: bytes.Cut returns two parts without one
strings.SplitAfter | makes a slice of the parts: strings.SplitAfterSeq yields them without one
bytes.SplitAfter | makes a slice of the parts: bytes.SplitAfterSeq yields them without one
strings.Fields | makes a slice of the parts: strings.FieldsSeq yields them without one
bytes.Fields | makes a slice of the parts: bytes.FieldsSeq yields them without one
strings.FieldsFunc | makes a slice of the parts: strings.FieldsFuncSeq yields them without one
bytes.FieldsFunc | makes a slice of the parts: bytes.FieldsFuncSeq yields them without one
slices.Collect | makes a slice of what an iterator yields: a loop over the iterator needs none
`

// parting reports whether a function makes a slice of parts, which share memory with the whole
// already.
func parting(callee string) bool { return strings.HasPrefix(copying[callee], "makes a slice") }

// lending are the functions whose alternative lends its result until the next call.
var lending = []string{"bufio.Scanner.Text", "bufio.Reader.ReadString", "bufio.Reader.ReadBytes"}

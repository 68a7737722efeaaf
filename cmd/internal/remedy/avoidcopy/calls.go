package avoidcopy

import (
	"github.com/coppice-go/coppice/cmd/internal/remedy"
)

// copying maps functions of the standard library that return copies to the alternative.
var copying = remedy.Calls(copies)

// copies is the table of copying: functions that copy even if they change nothing, or even if
// the caller only reads.
const copies = `
bytes.Replace bytes.ReplaceAll bytes.ToLower bytes.ToUpper bytes.ToTitle bytes.Map bytes.ToValidUTF8 | copies even if it changes nothing: check first (bytes.Contains, bytes.IndexFunc)
bytes.Clone strings.Clone slices.Clone maps.Clone | a copy that no code changes can be shared with the original
bytes.Buffer.String bufio.Scanner.Text | copies what Bytes returns without a copy, and strings.Builder builds without one
bufio.Reader.ReadString bufio.Reader.ReadBytes | copies what ReadSlice returns without a copy
strings.Split strings.SplitN strings.SplitAfter | strings.SplitSeq yields the parts without a slice of them
bytes.Split bytes.SplitN bytes.SplitAfter | bytes.SplitSeq yields the parts without a slice of them
strings.Fields strings.FieldsFunc | strings.FieldsSeq yields the parts without a slice of them
bytes.Fields bytes.FieldsFunc | bytes.FieldsSeq yields the parts without a slice of them
slices.Collect | a loop over the iterator needs no slice
`

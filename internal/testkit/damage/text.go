package damage

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// tokens matches the tokens of JSON, TOML and commands: quoted strings, numbers, words and
// punctuation.
var tokens = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|\w+|[\[\]{}:,=-]+`)

// These strings replace a number, a quoted string or any token.
var (
	numbers    = []string{"0", "-1", "1", "2", "7", "2.5", "1e308", "-1e308", "5e-324", "1e-300", "1e999", "9223372036854775807", "99999999999999999999", "1000000", "0.1", "-7"}
	quotations = []string{`""`, `"a"`, `"b"`, `"\n"`, `"\u0000\u001b[31m"`, `"\ud800"`, `"树é"`, "\"\xff\"", `"../../x"`, `"{depth}{x}"`,
		`"9999-12-31T23:59:59Z"`, `"0001-01-01T00:00:00Z"`, `"*"`, `"-1"`, `"<b>|\u0060"`}
	anything = []string{"true", "false", "null", "[]", "{}", `{"a":1}`, `["a"]`, "nan", "inf", "", "x", `"a"`, "1"}
)

// changeText makes one random change to the contents of a text file.
func changeText(r *rand.Rand, b, other []byte) []byte {
	lines := bytes.SplitAfter(b, []byte("\n"))
	line := r.IntN(len(lines))
	switch r.IntN(10) {
	case 0:
		return bytes.Join(slices.Insert(lines, line, lines[r.IntN(len(lines))]), nil)
	case 1:
		return bytes.Join(slices.Delete(lines, line, line+1), nil)
	case 2:
		to := r.IntN(len(lines))
		lines[line], lines[to] = lines[to], lines[line]
		return bytes.Join(lines, nil)
	}
	found := slices.DeleteFunc(tokens.FindAllIndex(b, -1), func(at []int) bool { // most values are quoted strings and numbers
		return b[at[0]] != '"' && (b[at[0]] < '0' || b[at[0]] > '9') && r.IntN(8) > 0
	})
	if len(found) == 0 {
		return b
	}
	at := found[r.IntN(len(found))]
	kind := anything
	if first := b[at[0]]; r.IntN(8) > 0 {
		switch {
		case first == '"':
			kind = quotations
		case first == '-' || first >= '0' && first <= '9':
			kind = numbers
		}
	}
	text := kind[r.IntN(len(kind))]
	switch r.IntN(16) {
	case 0: // a token of another file
		if all := tokens.FindAll(other, -1); len(all) > 0 {
			text = string(all[r.IntN(len(all))])
		}
	case 1: // duplicate it
		text = string(b[at[0]:at[1]]) + string(b[at[0]:at[1]])
	case 2:
		text = strings.Repeat([]string{"[", "{\"a\":", "a", "1"}[r.IntN(4)], 1<<r.IntN(15))
	}
	return slices.Concat(b[:at[0]], []byte(text), b[at[1]:])
}

package source

import (
	"bytes"
	"strconv"
)

// Edit appends text to out, with a small change that n selects: a different number or, one time
// in four, a duplicated return statement. If the text was valid before, it is valid afterwards.
func Edit(out, text []byte, n uint64) []byte {
	n = mix(n)
	if n%4 == 0 {
		if from, to := pick(text, n>>8, nextReturn); from < to {
			out = append(out, text[:to]...)
			return append(out, text[from:]...)
		}
	}
	from, to := pick(text, n>>8, nextNumber)
	if from == to {
		return append(append(out, text...), "// no number\n"...)
	}
	out = append(out, text[:from]...)
	out = strconv.AppendUint(out, 1+n>>16%99_999, 10)
	return append(out, text[to:]...)
}

// pick returns the first range that next finds at or after an offset, or else from the start of the
// text. n selects the offset. It returns an empty range if there is none.
func pick(text []byte, n uint64, next func(text []byte, at int) (from, to int)) (from, to int) {
	if from, to = next(text, int(n%uint64(len(text)+1))); from == to {
		from, to = next(text, 0)
	}
	return from, to
}

// nextNumber returns the first decimal number from at on that is not a part of a name or of another
// number.
func nextNumber(text []byte, at int) (from, to int) {
	for from = at; from < len(text); from = max(to, from+1) {
		to = from
		for to < len(text) && isDigit(text[to]) {
			to++
		}
		if to == from {
			continue
		}
		before := from > 0 && inName(text[from-1])
		after := to < len(text) && inName(text[to])
		if !before && !after {
			return from, to
		}
	}
	return 0, 0
}

// nextReturn returns the first line from at on that is a return statement, with its end.
func nextReturn(text []byte, at int) (from, to int) {
	for from = at; from < len(text); from = to {
		if to = from + bytes.IndexByte(text[from:], '\n') + 1; to == from {
			return 0, 0
		}
		if from > 0 && text[from-1] != '\n' {
			continue
		}
		line := bytes.TrimSpace(text[from:to])
		if bytes.HasPrefix(line, []byte("return ")) && !bytes.ContainsAny(line[len(line)-1:], "{([,") {
			return from, to
		}
	}
	return 0, 0
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// inName reports whether a number next to c is part of a name or of another number.
func inName(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '.'
}

package sheet

import (
	"strconv"

	"github.com/coppice-go/coppice/arena"
)

// AppendAnswer evaluates the sheet and appends its answer, a JSON object of the show definitions,
// to dst. The answer does not refer to the sheet's memory. An error is an *Error of one line; then
// dst is unchanged.
func (s *Sheet) AppendAnswer(dst []byte, price Prices) ([]byte, error) {
	e := &evaluator{sheet: s, arena: s.arena, price: price, work: maxWork}
	e.slots = arena.Make[value](s.arena, s.slots)
	answer := append(dst, '{')
	for _, d := range s.definitions {
		e.slots[d.slot] = e.evaluate(d.value)
		if d.shown {
			if answer[len(answer)-1] != '{' {
				answer = append(answer, ',')
			}
			answer = append(appendText(answer, d.name), ':')
			answer = e.appendJSON(answer, d.value, e.slots[d.slot])
		}
		if e.err != nil {
			return dst, e.err
		}
	}
	return append(answer, '}', '\n'), nil
}

// appendJSON appends the value of the expression x. Values are shared, so a small sheet can have an
// answer of any size. Therefore writing is also charged as work.
func (e *evaluator) appendJSON(b []byte, x expression, v value) []byte {
	if !e.spend(x, 1) {
		return b
	}
	switch v := v.(type) {
	case *numberValue:
		return strconv.AppendInt(b, v.n, 10)
	case *booleanValue:
		return strconv.AppendBool(b, v.is)
	case *textValue:
		return e.appendWord(b, x, v.s)
	}
	if e.depth == maxDepth {
		e.fail(x, "its value is nested deeper than %d", maxDepth)
		return b
	}
	e.depth++
	defer func() { e.depth-- }()
	if l, ok := v.(*listValue); ok {
		b = append(b, '[')
		for i, item := range l.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = e.appendJSON(b, x, item)
		}
		return append(b, ']')
	}
	r := v.(*recordValue)
	b = append(b, '{')
	for i, item := range r.items {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(e.appendWord(b, x, r.shape.fields[i].name), ':')
		b = e.appendJSON(b, x, item)
	}
	return append(b, '}')
}

// appendWord appends a string if enough work is left for it.
func (e *evaluator) appendWord(b []byte, x expression, word string) []byte {
	if !e.spend(x, len(word)/textPerWork) {
		return b
	}
	return appendText(b, word)
}

const hexDigits = "0123456789abcdef"

// appendText appends a string, which is UTF-8, as JSON.
func appendText(b []byte, text string) []byte {
	b = append(b, '"')
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, '\\', 'n')
		case c == '\t':
			b = append(b, '\\', 't')
		case c < ' ':
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}

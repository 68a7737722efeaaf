package formats

import "strings"

// A verb is a formatting verb with the literal text before it.
type verb struct {
	before    string
	letter    byte // verb character; 0 at the end of the format
	precise   bool // the verb has a precision
	precision int
}

// digits returns the precision for a floating-point number.
func (v verb) digits() int {
	switch {
	case v.precise:
		return v.precision
	case v.letter == 'f' || v.letter == 'e':
		return 6
	}
	return -1
}

// mostDigits is the largest supported precision. The limit of fmt itself is far higher.
const mostDigits = 99

// split parses a format into verbs. The last element has no verb: it contains the text after the
// last verb. ok is false if the format has a flag, a width or an explicit argument index.
func split(format string) (verbs []verb, ok bool) {
	var text strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			text.WriteByte(format[i])
			continue
		}
		if i++; i == len(format) {
			return nil, false
		}
		v := verb{}
		if format[i] == '.' {
			v.precise = true
			for i++; i < len(format) && '0' <= format[i] && format[i] <= '9'; i++ {
				if v.precision = 10*v.precision + int(format[i]-'0'); v.precision > mostDigits {
					return nil, false
				}
			}
		}
		switch {
		case i == len(format) || v.precise && format[i] == '%':
			return nil, false
		case format[i] == '%':
			text.WriteByte('%')
			continue
		case 'a' <= format[i] && format[i] <= 'z':
			v.before, v.letter = text.String(), format[i]
			text.Reset()
			verbs = append(verbs, v)
		default:
			return nil, false
		}
	}
	return append(verbs, verb{before: text.String()}), true
}

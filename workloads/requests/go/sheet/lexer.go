package sheet

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/coppice-go/coppice/arena"
)

// A tokenKind is the kind of a token. The kind of a symbol of one character is that character.
type tokenKind uint8

const (
	endOfSheet tokenKind = 0

	nameToken tokenKind = iota + 128
	numberToken
	textToken
	notEqual       // !=
	equal          // ==
	lessOrEqual    // <=
	greaterOrEqual // >=
	andWord
	elseWord
	falseWord
	forWord
	ifWord
	inWord
	letWord
	notWord
	orWord
	showWord
	thenWord
	titleWord
	trueWord
	whereWord
	yieldWord
)

// wordOf returns the kind of a name: nameToken, unless the name is a keyword of the language.
func wordOf(name string) tokenKind {
	switch name {
	case "and":
		return andWord
	case "else":
		return elseWord
	case "false":
		return falseWord
	case "for":
		return forWord
	case "if":
		return ifWord
	case "in":
		return inWord
	case "let":
		return letWord
	case "not":
		return notWord
	case "or":
		return orWord
	case "show":
		return showWord
	case "then":
		return thenWord
	case "title":
		return titleWord
	case "true":
		return trueWord
	case "where":
		return whereWord
	case "yield":
		return yieldWord
	}
	return nameToken
}

// A token is a lexical element of the language. Its text is part of the source, or of the
// sheet's memory if it has escapes.
type token struct {
	kind   tokenKind
	at     place
	text   string // the token as in the source; the value if kind is textToken
	number int64
}

// A lexer splits a source into tokens. After its first error it returns only the end
// token.
type lexer struct {
	source  string
	arena   *arena.Arena
	at      int
	escaped []byte // value of the text being read, if it has escapes
	err     *Error
}

func (l *lexer) fail(at place, format string, args ...any) {
	if l.err == nil {
		l.err = errorAt(l.source, at, format, args...)
	}
	l.at = len(l.source)
}

// skipSpace skips spaces and comments up to the next token.
func (l *lexer) skipSpace() {
	for l.at < len(l.source) {
		switch l.source[l.at] {
		case ' ', '\t', '\n', '\r':
			l.at++
		case '#':
			end := strings.IndexByte(l.source[l.at:], '\n')
			if end < 0 {
				end = len(l.source) - l.at
			}
			l.at += end
		default:
			return
		}
	}
}

// next returns the next token. After the last it always returns the end token.
func (l *lexer) next() token {
	l.skipSpace()
	t := token{at: place(l.at)}
	if l.at == len(l.source) {
		return t
	}
	switch c := l.source[l.at]; {
	case isLetter(c):
		l.name(&t)
	case isDigit(c):
		l.number(&t)
	case c == '"':
		l.quoted(&t)
	default:
		l.symbol(&t)
	}
	if l.err != nil {
		t.kind = endOfSheet
	}
	return t
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

func (l *lexer) name(t *token) {
	end := l.at + 1
	for end < len(l.source) && (isLetter(l.source[end]) || isDigit(l.source[end])) {
		end++
	}
	t.text = l.source[l.at:end]
	t.kind = wordOf(t.text)
	l.at = end
}

func (l *lexer) number(t *token) {
	end := l.at
	for ; end < len(l.source) && isDigit(l.source[end]); end++ {
		digit := int64(l.source[end] - '0')
		if t.number > (math.MaxInt64-digit)/10 {
			l.fail(t.at, "the number is greater than %d", int64(math.MaxInt64))
			return
		}
		t.number = 10*t.number + digit
	}
	if end < len(l.source) && (isLetter(l.source[end]) || l.source[end] == '.') {
		l.fail(place(end), "a number is whole and ends where its digits end")
		return
	}
	t.kind, t.text = numberToken, l.source[l.at:end]
	l.at = end
}

// quoted reads a string. A string without escapes is part of the source and is not copied.
func (l *lexer) quoted(t *token) {
	t.kind = textToken
	start := l.at + 1
	for end := start; end < len(l.source); end++ {
		switch l.source[end] {
		case '"':
			t.text = l.source[start:end]
			l.at = end + 1
			return
		case '\\':
			l.unescape(t, start, end)
			return
		case '\n':
			l.fail(t.at, "the text does not end on its line")
			return
		}
	}
	l.fail(t.at, "the text does not end")
}

// unescape reads a string whose first escape is at the offset end.
func (l *lexer) unescape(t *token, start, end int) {
	l.escaped = append(l.escaped[:0], l.source[start:end]...)
	for ; end < len(l.source); end++ {
		c := l.source[end]
		switch c {
		case '"':
			t.text = l.arena.String(l.escaped)
			l.at = end + 1
			return
		case '\n':
			l.fail(t.at, "the text does not end on its line")
			return
		case '\\':
			end++
			if c = escape(l.source, end); c == 0 {
				l.fail(place(end-1), `after \ comes one of \ " n t`)
				return
			}
		}
		l.escaped = append(l.escaped, c)
	}
	l.fail(t.at, "the text does not end")
}

// escape returns the meaning of the character at the given offset after a backslash, or 0 if it
// has none.
func escape(source string, at int) byte {
	if at < len(source) {
		switch c := source[at]; c {
		case '\\', '"':
			return c
		case 'n':
			return '\n'
		case 't':
			return '\t'
		}
	}
	return 0
}

func (l *lexer) symbol(t *token) {
	c := l.source[l.at]
	length := 1
	t.kind = tokenKind(c)
	if l.at+1 < len(l.source) && l.source[l.at+1] == '=' {
		length = 2
		switch c {
		case '=':
			t.kind = equal
		case '!':
			t.kind = notEqual
		case '<':
			t.kind = lessOrEqual
		case '>':
			t.kind = greaterOrEqual
		default:
			length = 1
		}
	}
	if length == 1 && strings.IndexByte("+-*/%<>=()[]{},.:;", c) < 0 {
		_, size := utf8.DecodeRuneInString(l.source[l.at:])
		l.fail(t.at, "%q means nothing here", l.source[l.at:l.at+size])
		return
	}
	t.text = l.source[l.at : l.at+length]
	l.at += length
}

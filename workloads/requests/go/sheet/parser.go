package sheet

import (
	"unicode/utf8"

	"github.com/coppice-go/coppice/arena"
)

// A parser turns tokens into a tree, by recursive descent with one token of lookahead.
// After the first error the lexer returns only the end token, so that every loop ends.
type parser struct {
	lexer
	token token
	depth int
	names []string // names in scope; the slot of a name is its index
	slots int      // maximum number of names in scope at once
}

// Parse parses a sheet. Its tree is allocated in the arena and must not be used after the arena's
// Reset. With a nil arena it is on the Go heap. The tree refers to parts of the source, so with an
// arena the source should also be in the arena. An error is an *Error of one line, and is not in
// the arena.
func Parse(a *arena.Arena, source string) (*Sheet, error) {
	if len(source) > maxSource {
		return nil, &Error{1, 1, "the sheet is too large"}
	}
	p := &parser{lexer: lexer{source: source, arena: a}}
	if !utf8.ValidString(source) {
		p.fail(firstInvalid(source), "this is not UTF-8")
		return nil, p.err
	}
	p.advance()
	s := arena.New[Sheet](a)
	s.source, s.arena = source, a
	if p.token.kind == titleWord {
		p.advance()
		s.Title = p.token.text
		p.expect(textToken, "a text")
		p.expect(';', `";"`)
	}
	for p.token.kind != endOfSheet {
		s.definitions = arena.Append(a, s.definitions, p.definition())
	}
	s.slots = p.slots
	if p.err != nil {
		return nil, p.err
	}
	return s, nil
}

func firstInvalid(source string) place {
	for i, r := range source {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(source[i:]); size == 1 {
				return place(i)
			}
		}
	}
	return place(len(source))
}

func (p *parser) advance() { p.token = p.next() }

// refuse reports that the current token is not the expected one.
func (p *parser) refuse(want string) {
	switch {
	case p.err != nil:
	case p.token.kind == endOfSheet:
		p.fail(p.token.at, "want %s, and the sheet ends", want)
	case p.token.kind == textToken:
		p.fail(p.token.at, "want %s, and here is a text", want)
	default:
		p.fail(p.token.at, "want %s, and here is %.40q", want, p.token.text)
	}
	p.token.kind = endOfSheet
}

// refuseAt ends the parse with an error at a position other than that of the current token.
func (p *parser) refuseAt(at place, format string, args ...any) {
	p.fail(at, format, args...)
	p.token.kind = endOfSheet
}

// expect consumes a token of the given kind and returns its position.
func (p *parser) expect(kind tokenKind, what string) place {
	at := p.token.at
	if p.token.kind != kind {
		p.refuse(what)
		return at
	}
	p.advance()
	return at
}

// accept consumes the current token if it is of the given kind, and reports whether it was.
func (p *parser) accept(kind tokenKind) bool {
	if p.token.kind != kind {
		return false
	}
	p.advance()
	return true
}

// bind adds a name to the scope, and returns its slot.
func (p *parser) bind(name string, at place) int {
	if len(p.names) == maxNames {
		p.refuseAt(at, "more than %d names are known here", maxNames)
		return 0
	}
	p.names = append(p.names, name)
	p.slots = max(p.slots, len(p.names))
	return len(p.names) - 1
}

// find returns the slot of the newest binding of a name.
func (p *parser) find(name string) (slot int, ok bool) {
	for slot = len(p.names) - 1; slot >= 0; slot-- {
		if p.names[slot] == name {
			return slot, true
		}
	}
	return 0, false
}

// definition = ( "let" | "show" ) name "=" expression ";" .
func (p *parser) definition() *definition {
	d := arena.New[definition](p.arena)
	switch p.token.kind {
	case letWord:
	case showWord:
		d.shown = true
	default:
		p.refuse("let or show")
		return nil
	}
	p.advance()
	d.name = p.token.text
	at := p.expect(nameToken, "a name")
	p.expect('=', `"="`)
	d.value = p.expression()
	p.expect(';', `";"`)
	if p.err != nil {
		return nil
	}
	if _, known := p.find(d.name); known {
		p.refuseAt(at, "%.40q is defined twice", d.name)
		return nil
	}
	d.slot = p.bind(d.name, at)
	return d
}

// deeper counts a level of nesting, and reports whether the level is within the limit.
func (p *parser) deeper() bool {
	p.depth++
	if p.depth > maxDepth {
		p.refuseAt(p.token.at, "nested deeper than %d", maxDepth)
		return false
	}
	return true
}

// expression = conditional | operation .
func (p *parser) expression() (x expression) {
	if !p.deeper() {
		return nil
	}
	if p.token.kind == ifWord {
		x = p.conditional()
	} else {
		x = p.operation(lowest)
	}
	p.depth--
	return x
}

// conditional = "if" expression "then" expression "else" expression .
func (p *parser) conditional() expression {
	c := arena.New[conditional](p.arena)
	c.place = p.token.at
	p.advance()
	c.condition = p.expression()
	p.expect(thenWord, "then")
	c.yes = p.expression()
	p.expect(elseWord, "else")
	c.no = p.expression()
	return c
}

// These are the precedences of operators between two operands.
const (
	lowest     = 1
	comparison = 3
)

func precedence(kind tokenKind) int {
	switch kind {
	case orWord:
		return lowest
	case andWord:
		return 2
	case equal, notEqual, '<', lessOrEqual, '>', greaterOrEqual:
		return comparison
	case '+', '-':
		return 4
	case '*', '/', '%':
		return 5
	}
	return 0
}

// operation reads operands with operators between them that bind at least as strongly as least.
// All operators associate to the left, except comparisons, which do not associate.
func (p *parser) operation(least int) expression {
	left := p.unary()
	for {
		operator := p.token
		strength := precedence(operator.kind)
		if strength == 0 || strength < least {
			return left
		}
		p.advance()
		b := arena.New[binary](p.arena)
		*b = binary{operator.at, operator.kind, left, p.operation(strength + 1)}
		left = b
		if strength == comparison && precedence(p.token.kind) == comparison {
			p.refuse("no second comparison without ( )")
		}
	}
}

// unary = { "-" | "not" } postfix .
func (p *parser) unary() expression {
	if p.token.kind != '-' && p.token.kind != notWord {
		return p.postfix(p.primary())
	}
	if !p.deeper() {
		return nil
	}
	u := arena.New[unary](p.arena)
	u.place, u.operator = p.token.at, p.token.kind
	p.advance()
	u.operand = p.unary()
	p.depth--
	return u
}

// postfix = primary { "." name | "[" expression "]" } .
func (p *parser) postfix(x expression) expression {
	for {
		at := p.token.at
		switch {
		case p.accept('.'):
			s := arena.New[selection](p.arena)
			*s = selection{at, x, p.token.text}
			p.expect(nameToken, "the name of a field")
			x = s
		case p.accept('['):
			e := arena.New[element](p.arena)
			*e = element{at, x, p.expression()}
			p.expect(']', `"]"`)
			x = e
		default:
			return x
		}
	}
}

package sheet

import "github.com/coppice-go/coppice/arena"

// primary = number | text | "true" | "false" | name | name "(" arguments ")"
// | "(" expression ")" | list | record .
func (p *parser) primary() expression {
	t := p.token
	switch t.kind {
	case numberToken:
		p.advance()
		n := arena.New[number](p.arena)
		*n = number{t.at, numberValue{t.number}}
		return n
	case textToken:
		p.advance()
		s := arena.New[text](p.arena)
		*s = text{t.at, textValue{t.text}}
		return s
	case trueWord, falseWord:
		p.advance()
		b := arena.New[boolean](p.arena)
		*b = boolean{t.at, t.kind == trueWord}
		return b
	case nameToken:
		p.advance()
		return p.named(t)
	case '(':
		p.advance()
		x := p.expression()
		p.expect(')', `")"`)
		return x
	case '[':
		p.advance()
		return p.list(t.at)
	case '{':
		p.advance()
		return p.record(t.at)
	}
	p.refuse("an expression")
	return nil
}

// named parses a call or a variable.
func (p *parser) named(t token) expression {
	if p.token.kind == '(' {
		return p.call(t)
	}
	slot, ok := p.find(t.text)
	if !ok {
		p.refuseAt(t.at, "nothing above is called %.40q", t.text)
		return nil
	}
	v := arena.New[variable](p.arena)
	*v = variable{t.at, slot}
	return v
}

// call = name "(" [ expression { "," expression } ] ")" .
func (p *parser) call(t token) expression {
	f, ok := functionOf(t.text)
	if !ok {
		p.refuseAt(t.at, "there is no function %.40q; there are %s", t.text, functionNames)
		return nil
	}
	p.advance()
	c := arena.New[call](p.arena)
	c.place, c.function = t.at, f
	for p.token.kind != ')' && p.token.kind != endOfSheet {
		c.arguments = arena.Append(p.arena, c.arguments, p.expression())
		if p.token.kind != ')' {
			p.expect(',', `"," or ")"`)
		}
	}
	p.expect(')', `")"`)
	if want := f.arguments(); p.err == nil && len(c.arguments) != want {
		p.refuseAt(t.at, "%s takes %d arguments, and here are %d", t.text, want, len(c.arguments))
		return nil
	}
	return c
}

// list = "[" [ expression { "," expression } [ "," ] ] "]" | comprehension .
func (p *parser) list(at place) expression {
	if p.token.kind == forWord {
		return p.comprehension(at)
	}
	l := arena.New[list](p.arena)
	l.place = at
	for p.token.kind != ']' && p.token.kind != endOfSheet {
		l.items = arena.Append(p.arena, l.items, p.expression())
		if p.token.kind != ']' {
			p.expect(',', `"," or "]"`)
		}
	}
	p.expect(']', `"]"`)
	return l
}

// comprehension = "[" "for" name "in" expression [ "where" expression ] "yield" expression "]" .
func (p *parser) comprehension(at place) expression {
	p.advance()
	c := arena.New[comprehension](p.arena)
	c.place = at
	name := p.token.text
	nameAt := p.expect(nameToken, "a name")
	p.expect(inWord, "in")
	c.source = p.expression()
	known := len(p.names)
	c.slot = p.bind(name, nameAt)
	if p.accept(whereWord) {
		c.condition = p.expression()
	}
	p.expect(yieldWord, "yield")
	c.item = p.expression()
	p.expect(']', `"]"`)
	p.names = p.names[:known]
	return c
}

// record = "{" [ name ":" expression { "," name ":" expression } [ "," ] ] "}" .
func (p *parser) record(at place) expression {
	r := arena.New[record](p.arena)
	r.place = at
	for p.token.kind != '}' && p.token.kind != endOfSheet {
		f := field{name: p.token.text}
		nameAt := p.expect(nameToken, "the name of a field")
		p.expect(':', `":"`)
		f.value = p.expression()
		for _, other := range r.fields {
			if other.name == f.name {
				p.refuseAt(nameAt, "the record has two fields %.40q", f.name)
			}
		}
		if len(r.fields) == maxFields {
			p.refuseAt(nameAt, "the record has more than %d fields", maxFields)
		}
		r.fields = arena.Append(p.arena, r.fields, f)
		if p.token.kind != '}' {
			p.expect(',', `"," or "}"`)
		}
	}
	p.expect('}', `"}"`)
	return r
}

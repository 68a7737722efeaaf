package flatlayout

import (
	"fmt"
	"strconv"
	"strings"
)

// Parse parses schema text, which may come from an adversarial file. Place may still reject a
// schema that Parse returns without an error.
func Parse(text string) (*Schema, error) {
	if len(text) > MaxText {
		return nil, fmt.Errorf("schema text of %d bytes, more than %d", len(text), MaxText)
	}
	p := parser{schema: &Schema{}}
	for line := range strings.Lines(text) {
		p.line++
		if err := p.parse(line); err != nil {
			return nil, fmt.Errorf("schema text, line %d: %w", p.line, err)
		}
	}
	s := p.schema
	if p.line == 0 {
		return nil, fmt.Errorf("schema text is empty")
	}
	if s.Text() != text {
		return nil, fmt.Errorf("schema text is not in its normal form")
	}
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("schema text: %w", err)
	}
	return s, nil
}

type parser struct {
	schema *Schema
	line   int
	open   *[]Field // of the last struct or record
}

func (p *parser) parse(line string) error {
	words := strings.Fields(line)
	if len(words) == 0 {
		return fmt.Errorf("empty")
	}
	if p.line == 1 {
		if line != fmt.Sprintf("flat %d\n", Format) {
			return fmt.Errorf("%q is not the format that this program reads, flat %d", strings.TrimSpace(line), Format)
		}
		return nil
	}
	if line[0] == ' ' {
		return p.field(words)
	}
	for _, name := range words[1:] {
		if !isName(name) && words[0] != "version" {
			return fmt.Errorf("%q is not a name", name)
		}
	}
	return p.declaration(words)
}

func (p *parser) declaration(words []string) error {
	s := p.schema
	switch {
	case words[0] == "version" && len(words) == 2:
		n, err := strconv.ParseUint(words[1], 10, 31)
		if err != nil || n == 0 {
			return fmt.Errorf("%q is not a version", words[1])
		}
		s.Version = int(n)
	case words[0] == "share" && len(words) == 1:
		s.Share = true
	case words[0] == "root" && len(words) == 2:
		s.Root = words[1]
	case words[0] == "sum" && len(words) >= 3:
		s.Sums = append(s.Sums, Sum{words[1], words[2:]})
	case words[0] == "struct" && len(words) == 2:
		s.Structs = append(s.Structs, Struct{Name: words[1]})
		p.open = &s.Structs[len(s.Structs)-1].Fields
	case words[0] == "record" && len(words) == 2:
		s.Records = append(s.Records, Struct{Name: words[1]})
		p.open = &s.Records[len(s.Records)-1].Fields
	default:
		return fmt.Errorf("%q is not a declaration", strings.Join(words, " "))
	}
	return nil
}

func (p *parser) field(words []string) error {
	if p.open == nil || len(words) != 2 || !isName(words[0]) {
		return fmt.Errorf("%q is not a field", strings.Join(words, " "))
	}
	t, err := parseType(words[1], 0)
	if err != nil {
		return err
	}
	*p.open = append(*p.open, Field{words[0], t})
	return nil
}

func parseType(text string, depth int) (Type, error) {
	t := Type{}
	rest := ""
	switch {
	case depth > maxDepth:
		return t, fmt.Errorf("a type nested in %d others", maxDepth)
	case strings.HasPrefix(text, "&"):
		t = Type{Base: Ref, Name: text[1:]}
	case strings.HasPrefix(text, "@"):
		t = Type{Base: Link, Name: text[1:]}
	case strings.HasPrefix(text, "?"):
		t.Base, rest = Optional, text[1:]
	case strings.HasPrefix(text, "[]"):
		t.Base, rest = Slice, text[2:]
	case strings.HasPrefix(text, "["):
		number, after, _ := strings.Cut(text[1:], "]")
		n, err := strconv.ParseUint(number, 10, 16)
		if err != nil || n == 0 {
			return t, fmt.Errorf("%q is not an array length", number)
		}
		t.Base, t.Len, rest = Array, int(n), after
	default:
		if base, ok := named(text); ok {
			return Type{Base: base}, nil
		}
		t = Type{Base: Inline, Name: text}
	}
	if t.Base == Ref || t.Base == Link || t.Base == Inline {
		if !isName(t.Name) {
			return t, fmt.Errorf("%q is not a type", text)
		}
		return t, nil
	}
	elem, err := parseType(rest, depth+1)
	t.Elem = &elem
	return t, err
}

// isName reports whether the text is a name, which consists of ASCII letters, digits, underscores
// and non-ASCII characters, and does not begin with a digit.
func isName(text string) bool {
	for i, r := range text {
		letter := r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r >= 0x80
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return text != ""
}

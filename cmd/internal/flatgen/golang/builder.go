package golang

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/flatgen/schema"

	"github.com/coppice-go/coppice/internal/flatlayout"
)

// builder writes the type Builder with a method for each variant, and the parameter types with
// which its methods accept inline structs.
func (e *emitter) builder() {
	e.p(builderText, e.Root.Read(), e.detachRule())
	if !e.Schema.Share {
		e.p(replaceText)
	}
	for _, v := range e.Records[1:] {
		e.build(v)
	}
	for _, s := range e.Structs {
		e.fields(s)
	}
}

// detachRule returns the sentence in the doc comment of Edit that explains how to move a node that
// has a parent.
func (e *emitter) detachRule() string {
	if e.Schema.Share {
		return ""
	}
	return "\n// A node has one parent, so first set the reference to it in its old place to nil."
}

const builderText = `
// A Builder builds trees, children first. One goroutine may use it at a time.
//
// When its limit is reached, its methods return nil, and Err and Finish return flat.ErrFull. Its
// methods panic if a child belongs to another tree or to a finished one, or already has a parent;
// the panic describes the expected and the actual child. A method that panics adds nothing, and
// its arguments still have no parent.
type Builder struct{ core *flatimpl.Builder }

// NewBuilder returns a Builder with an empty tree. If options contains the expected number of
// nodes, the Builder need not grow.
func NewBuilder(options flat.BuilderOptions) *Builder { return &Builder{schema.NewBuilder(flatimpl.BuilderOptions(options))} }

// Err returns flat.ErrFull if the limit was reached, and nil otherwise.
func (b *Builder) Err() error { return b.core.Err() }

// Edit makes the Builder continue a tree in its memory. Until Finish, the Builder's methods add
// nodes to that tree, and setters accept any of its nodes as a child, except the parent and its
// ancestors.%[2]s
// Finish returns the same tree. Its handles stay valid throughout.
//
// If a child comes after its parent, All, Fold and WriteTo panic: they need the result of Compact.
// The cost of Edit does not depend on the size of the tree, unless nodes were detached after the
// tree was loaded or rewritten; then it is one pass. The first node for which there is no spare
// capacity moves the tree to memory that is an eighth larger, and later ones to memory that is half
// as large again. Edit panics if the tree is freed or mapped, or is being edited, and if the Builder
// has begun another tree.
func (b *Builder) Edit(t Tree) { b.core.Edit(t.impl()) }

// Finish returns the tree with the given root and starts an empty one.
func (b *Builder) Finish(root %[1]s) (Tree, error) { return treeOf(b.core.Finish(root.node)) }

// Reset discards the tree that is being built and keeps its memory. A tree that is being edited is
// not changed.
func (b *Builder) Reset() { b.core.Reset() }

// Reuse discards the tree that is being built, frees old, and builds the next tree in its memory.
func (b *Builder) Reuse(old Tree) { b.core.Reuse(old.impl()) }
`

// replaceText is the source code of the method Replace. It is generated only for schemas in which
// each node has one parent.
const replaceText = `
// Replace replaces the node old by the node now, which may be nil, in a tree that a Builder edits.
// Afterwards, the field or list item that referred to old refers to now, and old has no parent.
// Replace reports whether old had a parent. The root has none: pass the new root to Finish.
//
// Replace panics if no Builder is editing the tree, or if the setter of that field would panic: now
// must belong to the tree, must not have a parent or be an ancestor of old, and must be of a kind
// that is allowed there. Replace looks for the parent in the 64 words after old, and then in a hash
// table. The first call that needs the table builds it, in one pass over the tree. A later call may
// build it again if a setter has moved old.
func (t Tree) Replace(old, now Any) bool { return t.impl().Replace(old.node, now.node) }
`

// build writes the Builder's method that adds a record.
func (e *emitter) build(v *schema.Struct) {
	value := e.argument(v)
	e.p("")
	if v.ByName() {
		e.fieldsType(v)
		e.comment("%s adds %s and returns it, or nil if the Builder is full.", v.Name, schema.Article(v.Name))
		e.p("func (b *Builder) %s(v %sFields) %s {", v.Name, v.Name, v.Home())
	} else {
		e.comment("%s adds %s and returns it, or nil if the Builder is full.", v.Name, schema.Article(v.Name))
		e.parameterDocs(v)
		e.p("func (b *Builder) %s(%s) %s {", v.Name, e.parameters(v), v.Home())
	}
	e.p("n, w := b.core.Add(%s)", e.size(v))
	e.p("if w == nil {\nreturn %s{}\n}", v.Home())
	where := e.name + ".Builder." + v.Name + ": "
	e.putFixed(v, where, value)
	e.putLists(v, where)
	if v.Block.Nested {
		e.putTails(v)
	}
	e.p("b.core.Done()\nreturn %s{node: n}\n}", v.Home())
}

// argument returns a function that maps a field name to the Go expression for the field's value in
// the Builder's method.
func (e *emitter) argument(v *schema.Struct) func(field string) string {
	if v.ByName() || v.Kind == 0 {
		return func(field string) string { return "v." + field }
	}
	return func(field string) string { return e.Parameter(v, field) }
}

// parameters returns the parameter list of a Builder's method.
func (e *emitter) parameters(v *schema.Struct) string {
	var parameters []string
	parameters = slices.Grow(parameters, len(v.Fields))
	names := e.Locals(v, schema.OwnLocals)
	for i, f := range v.Fields {
		t := f.Type.Write()
		if i+1 < len(v.Fields) && v.Fields[i+1].Type.Write() == t {
			t = "" // the next parameter has the same type, as in f(l, r Expr)
		}
		parameters = append(parameters, strings.TrimSpace(names[i]+" "+t))
	}
	return strings.Join(parameters, ", ")
}

// parameterDocs writes the fields' comments as a parameter list, for the doc comment of a Builder's
// method.
func (e *emitter) parameterDocs(v *schema.Struct) {
	first := true
	for _, f := range v.Fields {
		if len(f.Doc) == 0 {
			continue
		}
		if first {
			e.p("//")
			first = false
		}
		for i, line := range f.Doc {
			if i == 0 {
				e.p("//   - %s: %s", e.Parameter(v, f.Name), line)
			} else {
				e.p("%s", strings.TrimRight("//     "+line, " "))
			}
		}
	}
}

// size returns the expression for the size of a record in words.
func (e *emitter) size(v *schema.Struct) string {
	value := e.argument(v)
	terms := []string{strconv.Itoa(v.Block.Words)}
	for _, f := range v.Fields {
		if f.Nested {
			terms = append(terms, e.room(f.Type, value(f.Name)))
		}
		if f.Type.Base != flatlayout.Slice {
			continue
		}
		n := "len(" + value(f.Name) + ")"
		if f.Escapes {
			terms = append(terms, fmt.Sprintf("flatimpl.CountWords(%s, %d)", n, f.Count.Shift))
		}
		terms = append(terms, e.itemWords(f, n))
	}
	return strings.Join(terms, " + ")
}

// itemWords returns the expression for the number of words that n items of the slice f occupy.
func (e *emitter) itemWords(f *schema.Field, n string) string {
	switch bits, words := e.Layout.Item(f.Type.Elem.Type); words {
	case 0:
		return fmt.Sprintf("flatimpl.ListWords(%s, %d)", n, bits)
	case 1:
		return n
	default:
		return fmt.Sprintf("%d*%s", words, n)
	}
}

// putFixed writes the statements that store the fixed-size part of a record or struct in the slice
// w. name returns the expression for the value of a field. Panic messages start with where.
func (e *emitter) putFixed(s *schema.Struct, where string, name func(field string) string) {
	for _, small := range s.Block.Small {
		var terms []string
		if s.Kind > 0 && small.Word == 0 {
			terms = append(terms, "uint32(Kind"+s.Name+")")
		}
		for _, f := range s.Fields {
			if f.Type.Base != flatlayout.Optional && f.Small.Width > 0 && f.Small.Word == small.Word {
				e.place = where + f.Name
				terms = append(terms, shifted(e.toUint32(f.Type, name(f.Name)), f.Small.Shift))
			}
		}
		if len(terms) == 0 {
			terms = append(terms, "0") // the word is only for optional fields
		}
		e.p("w[%d] = %s", small.Word, strings.Join(terms, " | "))
	}
	for _, f := range s.Fields {
		e.place = where + f.Name
		switch {
		case f.Type.Base == flatlayout.Slice: // slices are stored later
		case f.Type.Base == flatlayout.Optional:
			e.putOptional(f, name(f.Name))
		case f.Small.Width == 0:
			e.put(f.Type, stored{words: "w", at: strconv.Itoa(f.Word), value: name(f.Name), intern: f.Intern})
		}
	}
}

func shifted(expression string, shift int) string {
	if shift == 0 {
		return expression
	}
	return fmt.Sprintf("%s<<%d", expression, shift)
}

// putOptional writes the statements that store an optional field.
func (e *emitter) putOptional(f *schema.Field, v string) {
	t := f.Type.Elem
	if t.Base == flatlayout.String {
		method := "OptionalText"
		if f.Intern {
			method = "OptionalIntern"
		}
		if t.Go != "string" {
			v = "(*string)(" + v + ")"
		}
		e.p("w[%d] = b.core.%s(%s)", f.Word, method, v)
		return
	}
	if f.Small.Width > 0 {
		e.p("if %s != nil {", v)
		e.p("w[%d] |= 1 << %d", f.Present.Word, f.Present.Shift)
		e.p("w[%d] |= %s", f.Small.Word, shifted(e.toUint32(t, "*"+v), f.Small.Shift))
		e.p("}")
		return
	}
	e.p("w[%d] = 0", f.Word)
	if t.Base.Bits() == 64 {
		e.p("w[%d] = 0", f.Word+1)
	}
	e.p("if %s != nil {", v)
	e.p("w[%d] |= 1 << %d", f.Present.Word, f.Present.Shift)
	e.put(t, stored{words: "w", at: strconv.Itoa(f.Word), value: "*" + v})
	e.p("}")
}

// A stored describes a value that generated code stores in whole words. Its strings contain Go
// expressions.
type stored struct {
	words, at string // slice of words, and index of the first word of the value
	value     string
	intern    bool // store equal strings once
	depth     int  // number of enclosing loops
}

// put writes the statements that store a value.
func (e *emitter) put(t *schema.Type, s stored) {
	w, at, v := s.words, s.at, s.value
	switch t.Base {
	case flatlayout.String:
		e.p("%s[%s] = b.core.%s(%s)", w, at, schema.Pick(s.intern, "Intern", "Text"), t.Plain(v))
	case flatlayout.Bytes:
		e.p("%s[%s] = b.core.%s(%s)", w, at, schema.Pick(s.intern, "InternBytes", "Bytes"), v)
	case flatlayout.Ref:
		if kinds := e.kindsOf(t); kinds != "nil" {
			e.p("%s[%s] = b.core.RefOf(%s.node, %s)", w, at, v, kinds)
		} else {
			e.p("%s[%s] = b.core.Ref(%s.node)", w, at, v)
		}
	case flatlayout.Link:
		e.p("%s[%s] = b.core.Link(%s.node, %s)", w, at, v, e.kindsOf(t))
	case flatlayout.Inline:
		e.p("b.put%s(%s[%s:], %s)", t.Name, w, at, v)
	case flatlayout.Array:
		e.putItems(t.Elem, s, fmt.Sprintf("flatimpl.PackedWords(%d, %%d)", t.Len))
	default:
		if t.Base.Bits() == 64 {
			e.p("flatimpl.PutUint64(%s[%s:], %s)", w, at, e.bits(t, v))
		} else {
			e.p("%s[%s] = %s", w, at, e.toUint32(t, v))
		}
	}
}

// putItems writes the loop that stores the items of a list, beginning at the word s.at. packed is
// the expression for the number of words if several items share a word.
func (e *emitter) putItems(elem *schema.Type, s stored, packed string) {
	w, at, v := s.words, s.at, s.value
	i, x := fmt.Sprintf("i%d", s.depth), fmt.Sprintf("x%d", s.depth)
	bits, words := e.Layout.Item(elem.Type)
	prefix := at + "+"
	if at == "0" {
		prefix = ""
	}
	if words == 0 {
		e.p("clear(%s[%s:%s%s])", w, strings.TrimPrefix(at, "0"), prefix, fmt.Sprintf(packed, bits))
		e.p("for %s, %s := range %s {", i, x, v)
		each := 32 / bits
		e.p("%s[%s%s/%d] |= %s << (%s %% %d * %d)", w, prefix, i, each, e.toUint32(elem, x), i, each, bits)
		e.p("}")
		return
	}
	place := prefix + i
	if words > 1 {
		place = fmt.Sprintf("%s%d*%s", prefix, words, i)
	}
	e.p("for %s, %s := range %s {", i, x, v)
	e.put(elem, stored{words: w, at: place, value: x, intern: s.intern, depth: s.depth + 1})
	e.p("}")
}

// putLists writes the statements that store the items of a record's slices after its fixed-size
// part.
func (e *emitter) putLists(s *schema.Struct, where string) {
	left := s.Block.Lists
	value := e.argument(s)
	for _, f := range s.Fields {
		e.place = where + f.Name
		if f.Type.Base != flatlayout.Slice {
			continue
		}
		name := value(f.Name)
		n := "len(" + name + ")"
		switch {
		case f.Escapes:
			e.p("rest := flatimpl.PutCount(w, %d, %d, %s)", s.Block.Words, f.Count.Shift, n)
		case f.List == 0:
			e.p("w[%d] = uint32(%s)\nrest := w[%d:]", f.Count.Word, n, s.Block.Words)
		default:
			e.p("w[%d] = uint32(%s)", f.Count.Word, n)
		}
		e.putItems(f.Type.Elem, stored{words: "rest", at: "0", value: name, intern: f.Intern}, "flatimpl.PackedWords("+n+", %d)")
		if f.Nested {
			e.p("first%s := len(w) - len(rest)", f.Name)
		}
		if left--; left > 0 || s.Block.Nested {
			e.p("rest = rest[%s:]", e.itemWords(f, n))
		}
	}
}

// fields writes the Builder's parameter type for an inline struct, and the methods that store
// values of that type.
func (e *emitter) fields(s *schema.Struct) {
	e.p("")
	e.fieldsType(s)
	e.p("func (b *Builder) put%s(w []uint32, v %sFields) {", s.Name, s.Name)
	e.putFixed(s, e.name+"."+s.Name+"Fields: ", func(field string) string { return "v." + field })
	e.p("}")
	if s.Block.Nested {
		e.tail(s)
	}
}

// fieldsType writes the struct type in which a Builder's method accepts the fields of s.
func (e *emitter) fieldsType(s *schema.Struct) {
	e.comment("%sFields holds the fields of %s, for the Builder.", s.Name, schema.Article(s.Name))
	e.p("type %sFields struct {", s.Name)
	for _, f := range s.Fields {
		for _, line := range f.Doc {
			e.p("%s", strings.TrimSpace("// "+line))
		}
		e.p("%s %s", f.Name, f.Type.Write())
	}
	e.p("}\n")
}

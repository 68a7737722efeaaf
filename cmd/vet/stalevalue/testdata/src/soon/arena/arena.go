// Package arena has the names of calls that the rules know, in the form of methods: a type that was
// put back, a builder, interned strings, copies that outlive the arena.
package arena

type Arena struct{ last *Value }

type Value struct {
	Text string
	Next *Value
}

func (a *Arena) New() *Value                   { return &Value{} }
func (a *Arena) List(all ...*Value) []*Value   { return all }
func (a *Arena) Put(v *Value)                  { a.last = v }
func (a *Arena) Export(v *Value) *Value        { return v }
func (a *Arena) Reset()                        { a.last = nil }
func NewBuilder(a *Arena) *Builder             { return &Builder{Arena: a} }
func (b *Builder) String() string              { return string(b.text) }
func (b *Builder) Bytes() []byte               { return b.text }
func (b *Builder) Write(p []byte) (int, error) { b.text = append(b.text, p...); return len(p), nil }
func (i *Interner) Intern(s string) string     { return s }

type Builder struct {
	Arena *Arena
	text  []byte
}

type Interner struct{ Arena *Arena }

package parse

import (
	"bytes"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/workloads/json/go/domflat"
	"github.com/coppice-go/coppice/workloads/json/go/tokens"
)

// Flat creates documents of package domflat. A value whose key occurs again in its object stays in
// the tree as a node without a parent, until Compact.
type Flat struct {
	reader Reader[domflat.Value, domflat.MemberFields]
}

// NewFlat returns a Flat that reads from source.
func NewFlat(source tokens.Source) *Flat {
	return &Flat{Reader[domflat.Value, domflat.MemberFields]{source: source}}
}

// Parse parses a text.
func (f *Flat) Parse(text []byte) (domflat.Tree, error) {
	b := domflat.NewBuilder(flat.BuilderOptions{Nodes: guessNodes(text)})
	f.reader.make = flatMaker{b}
	root, err := f.reader.Read(text)
	if err != nil {
		return domflat.Tree{}, err
	}
	return b.Finish(root)
}

// guessNodes estimates the number of nodes of three words for a text. Most values follow a comma
// and occupy four words, including the reference to them and their key; an array or object occupies
// two.
func guessNodes(text []byte) int {
	commas := bytes.Count(text, []byte{','})
	containers := bytes.Count(text, []byte{'['}) + bytes.Count(text, []byte{'{'})
	return (4*commas + 2*containers) / 3
}

type flatMaker struct{ b *domflat.Builder }

func (m flatMaker) Null() domflat.Value              { return m.b.Null() }
func (m flatMaker) Bool(v bool) domflat.Value        { return m.b.Bool(v) }
func (m flatMaker) String(text []byte) domflat.Value { return m.b.String(string(text)) }

func (m flatMaker) Number(v float64) domflat.Value {
	if whole, ok := WholeNumber(v); ok {
		return m.b.Int(whole)
	}
	return m.b.Number(v)
}

func (m flatMaker) Array(items []domflat.Value) domflat.Value { return m.b.Array(items) }

func (m flatMaker) Object(members []domflat.MemberFields) domflat.Value { return m.b.Object(members) }

func (m flatMaker) Member(key string, value domflat.Value) domflat.MemberFields {
	return domflat.MemberFields{Key: key, Value: value}
}

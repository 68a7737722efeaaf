package parse

import (
	"math"
	"slices"

	"github.com/coppice-go/coppice/workloads/json/go/dom"
	"github.com/coppice-go/coppice/workloads/json/go/tokens"
)

// Pointers creates documents of ordinary Go values. Equal keys of a document share their bytes.
type Pointers struct {
	reader Reader[dom.Value, dom.Member]
}

// NewPointers returns a Pointers that reads from source.
func NewPointers(source tokens.Source) *Pointers {
	return &Pointers{Reader[dom.Value, dom.Member]{source: source, make: pointerMaker{}}}
}

// Parse parses a text.
func (p *Pointers) Parse(text []byte) (dom.Value, error) {
	v, err := p.reader.Read(text)
	clear(p.reader.items[:cap(p.reader.items)]) // otherwise the items would retain the document
	clear(p.reader.members[:cap(p.reader.members)])
	if err != nil {
		return nil, err
	}
	return v, nil
}

type pointerMaker struct{}

func (pointerMaker) Null() dom.Value       { return &dom.Null{} }
func (pointerMaker) Bool(v bool) dom.Value { return &dom.Bool{Value: v} }

func (pointerMaker) Number(v float64) dom.Value {
	if whole, ok := WholeNumber(v); ok {
		return &dom.Int{Value: whole}
	}
	return &dom.Number{Value: v}
}

func (pointerMaker) String(text []byte) dom.Value { return &dom.String{Value: string(text)} }

func (pointerMaker) Array(items []dom.Value) dom.Value {
	return &dom.Array{Items: slices.Clone(items)}
}

func (pointerMaker) Object(members []dom.Member) dom.Value {
	return &dom.Object{Members: slices.Clone(members)}
}

func (pointerMaker) Member(key string, value dom.Value) dom.Member {
	return dom.Member{Key: key, Value: value}
}

// WholeNumber returns v as the value of an Int, and reports whether an Int can represent it.
func WholeNumber(v float64) (int32, bool) {
	whole := int32(max(math.MinInt32, min(v, math.MaxInt32)))
	// The bits are compared, because 0 and -0 are equal.
	return whole, math.Float64bits(float64(whole)) == math.Float64bits(v)
}

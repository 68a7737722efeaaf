package flat

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/coppice-go/coppice/internal/flatlayout"
)

// Bounds of what String returns.
const (
	maxPrintDepth = 50
	maxPrintBytes = 64 << 10
)

// Dump writes a line for each record, in the order of the buffer: its index, by which others refer to it,
// where it is in the file, its kind and its fields. It returns the first error of w.
func (t *Tree) Dump(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%d records, %d words, %d strings of %d bytes, root #%d\n",
		t.nodes, len(t.words), len(t.ends)-1, len(t.text), t.root)
	body := headerBytes + padded(len(t.tables.text))
	p := printer{tree: t}
	for n := t.First(); !n.IsNil(); n = n.Next() {
		p.out = append(p.out[:0], fmt.Sprintf("#%-6d %#08x  ", n.index, int64(body)+4*int64(n.index))...)
		p.record(n.index)
		p.out = append(p.out, '\n')
		if _, err := out.Write(p.out); err != nil {
			return err
		}
	}
	return out.Flush()
}

// String returns the tree as Go would write it, cut off where it is deep or long.
func (t *Tree) String() string { return t.Root().String() }

// A printer appends records to a text.
type printer struct {
	tree  *Tree
	out   []byte
	deep  bool // print children, not only their indexes
	depth int
}

// String returns the record and what is below it as Go would write it, cut off where it is deep or
// long. For generated packages.
func (n Node) String() string {
	if n.tree == nil || n.tree.words == nil || n.index == 0 {
		return "nil"
	}
	p := printer{tree: n.tree, deep: true}
	p.record(n.index)
	return string(p.out)
}

func (p *printer) record(i uint32) {
	kind := uint8(p.tree.words[i])
	b := p.tree.tables.layout.Records[kind]
	p.out = append(p.out, b.Name...)
	p.block(b, i)
}

// block prints the fields of a record or struct.
func (p *printer) block(b *flatlayout.Block, at uint32) {
	end := at + uint32(b.Words)
	p.out = append(p.out, '{')
	for k := range b.Places {
		if k > 0 {
			p.out = append(p.out, ", "...)
		}
		f := &b.Places[k]
		p.out = append(append(p.out, f.Name...), ": "...)
		if f.Type.Base == flatlayout.Slice {
			end = p.slice(f, at, end)
			continue
		}
		p.field(f, at)
	}
	p.out = append(p.out, '}')
}

func (p *printer) field(f *flatlayout.Place, at uint32) {
	w := p.tree.words
	value := f.Value()
	switch {
	case f.Present.Width > 0 && w[at+uint32(f.Present.Word)]>>f.Present.Shift&1 == 0,
		f.Type.Base == flatlayout.Optional && !value.Base.IsScalar() && w[at+uint32(f.Word)] == 0:
		p.out = append(p.out, "nil"...)
	case f.Small.Width > 0:
		p.scalar(value.Base, uint64(w[at+uint32(f.Small.Word)]>>f.Small.Shift))
	default:
		p.value(value, at+uint32(f.Word))
	}
}

func (p *printer) slice(f *flatlayout.Place, at, end uint32) uint32 {
	bits, _ := p.tree.tables.layout.Item(*f.Type.Elem)
	l := slot{count: uint32(f.Count.Word), shift: uint8(f.Count.Shift), esc: f.Escapes}
	n, first := p.tree.list(at, &l, end)
	p.items(*f.Type.Elem, n, first)
	return first + uint32(words(uint64(n), uint32(bits)))
}

func (p *printer) items(elem flatlayout.Type, n, first uint32) {
	bits, step := p.tree.tables.layout.Item(elem)
	p.out = append(p.out, '[')
	for k := range n {
		if k > 0 {
			p.out = append(p.out, ", "...)
		}
		if step > 0 {
			p.value(elem, first+k*uint32(step))
		} else {
			each := 32 / uint32(bits)
			p.scalar(elem.Base, uint64(p.tree.words[first+k/each]>>(k%each*uint32(bits))))
		}
		if len(p.out) > maxPrintBytes && p.deep {
			p.out = append(p.out, ", ..."...)
			break
		}
	}
	p.out = append(p.out, ']')
}

// value prints a value in whole words.
func (p *printer) value(t flatlayout.Type, at uint32) {
	w := p.tree.words
	switch t.Base {
	case flatlayout.Ref:
		p.ref(w[at])
	case flatlayout.String, flatlayout.Bytes:
		p.out = strconv.AppendQuote(p.out, p.tree.string(w[at]))
	case flatlayout.Inline:
		p.block(p.tree.tables.layout.Structs[t.Name], at)
	case flatlayout.Array:
		p.items(*t.Elem, uint32(t.Len), at)
	case flatlayout.Int64, flatlayout.Uint64, flatlayout.Float64:
		p.scalar(t.Base, uint64(w[at])|uint64(w[at+1])<<32)
	default:
		p.scalar(t.Base, uint64(w[at]))
	}
}

func (p *printer) ref(r uint32) {
	switch {
	case r == 0:
		p.out = append(p.out, "nil"...)
	case !p.deep:
		p.out = strconv.AppendUint(append(p.out, '#'), uint64(r), 10)
	case p.depth >= maxPrintDepth || len(p.out) > maxPrintBytes:
		p.out = append(p.out, "..."...)
	default:
		p.depth++
		p.record(r)
		p.depth--
	}
}

// scalar prints a number of which v has at least the low bits.
func (p *printer) scalar(b flatlayout.Base, v uint64) {
	switch b {
	case flatlayout.Bool:
		p.out = strconv.AppendBool(p.out, v&1 != 0)
	case flatlayout.Int8:
		p.out = strconv.AppendInt(p.out, int64(int8(v)), 10)
	case flatlayout.Uint8:
		p.out = strconv.AppendUint(p.out, uint64(uint8(v)), 10)
	case flatlayout.Int16:
		p.out = strconv.AppendInt(p.out, int64(int16(v)), 10)
	case flatlayout.Uint16:
		p.out = strconv.AppendUint(p.out, uint64(uint16(v)), 10)
	case flatlayout.Int32:
		p.out = strconv.AppendInt(p.out, int64(int32(v)), 10)
	case flatlayout.Float32:
		p.out = strconv.AppendFloat(p.out, float64(math.Float32frombits(uint32(v))), 'g', -1, 32)
	case flatlayout.Float64:
		p.out = strconv.AppendFloat(p.out, math.Float64frombits(v), 'g', -1, 64)
	case flatlayout.Int64:
		p.out = strconv.AppendInt(p.out, int64(v), 10)
	default:
		p.out = strconv.AppendUint(p.out, v, 10)
	}
}

// LoadAny loads a file of any schema, which the file carries, to print it.
func LoadAny(data []byte, limits LoadLimits) (*Tree, error) {
	h, err := decodeHeader(data)
	if err != nil {
		return nil, err
	}
	if err := h.check(int64(len(data)), limits.withDefaults()); err != nil {
		return nil, err
	}
	text, err := h.schemaText(data)
	if err != nil {
		return nil, err
	}
	if _, err := newTables(nil, text); err != nil {
		return nil, invalid("%v", err)
	}
	return NewSchema(Generation2("flat"), text).Load(data, limits)
}

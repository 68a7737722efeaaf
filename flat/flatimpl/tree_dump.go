package flatimpl

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/coppice-go/coppice/internal/flatlayout"
)

// These constants limit the output of String, and the length of repeated strings in the output of
// Dump.
const (
	maxPrintDepth = 50
	maxPrintBytes = 64 << 10
	maxTextAgain  = 64 // maximum length of a string that Dump has already written
)

// Dump implements flat.Tree.Dump.
func (t *Tree) Dump(w io.Writer) error {
	t.checkFreed("flat.Tree.Dump")
	t.checkClosed("flat.Tree.Dump")
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%d records, %d words, %d strings of %d bytes, root #%d\n",
		t.nodes, len(t.words), len(t.ends)-1, len(t.text), t.root)
	body := headerBytes + padded(len(t.tables.text))
	p := printer{tree: t, met: make([]uint64, len(t.ends)/64+1)}
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

// String formats the tree in Go syntax. Deep or long trees are truncated.
func (t *Tree) String() string {
	if t == nil || t.words == nil { // the tree was returned with an error, or freed
		return "nil"
	}
	return t.Root().String()
}

// A printer formats records.
type printer struct {
	tree  *Tree
	out   []byte
	deep  bool // print children, not only their indexes
	depth int
	met   []uint64 // a bit for each string that was printed; not used if deep
}

// String formats the record and its descendants in Go syntax. Deep or long results are truncated.
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
			end = p.slice(f, at, end, b.Inside)
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

func (p *printer) slice(f *flatlayout.Place, at, end uint32, inside bool) uint32 {
	bits, _ := p.tree.tables.layout.Item(*f.Type.Elem)
	if inside {
		l := slot{off: uint32(f.Count.Word) + 1}
		n, first := p.tree.nested(at, &l)
		p.items(*f.Type.Elem, n, first)
		return end
	}
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

// value prints a value that occupies whole words.
func (p *printer) value(t flatlayout.Type, at uint32) {
	w := p.tree.words
	switch t.Base {
	case flatlayout.Ref:
		p.ref(w[at])
	case flatlayout.Link:
		p.link(w[at])
	case flatlayout.String, flatlayout.Bytes:
		p.text(w[at])
	case flatlayout.Inline:
		p.block(p.tree.tables.layout.Structs[t.Name], at)
	case flatlayout.Array:
		p.items(*t.Elem, uint32(t.Len), at)
	default:
		v := uint64(w[at])
		if t.Base.Bits() == 64 {
			v |= uint64(w[at+1]) << 32
		}
		p.scalar(t.Base, v)
	}
}

// text prints a string. A long string that was already printed is truncated.
func (p *printer) text(i uint32) {
	s, most := p.tree.string(i), maxPrintBytes
	if !p.deep {
		most = len(s)
		if word, bit := &p.met[i/64], uint64(1)<<(i%64); *word&bit != 0 {
			most = maxTextAgain
		} else {
			*word |= bit
		}
	}
	if len(s) <= most {
		p.out = strconv.AppendQuote(p.out, s)
		return
	}
	p.out = strconv.AppendQuote(p.out, s[:most])
	p.out = fmt.Appendf(p.out, "... (%d bytes)", len(s))
}

// link prints a link as the index of its target, even if the printer also prints descendants.
func (p *printer) link(r uint32) {
	if r == 0 || r == pendingLink {
		p.out = append(p.out, "nil"...)
		return
	}
	p.out = strconv.AppendUint(append(p.out, '#'), uint64(r), 10)
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

// scalar prints a number of type b, which is in the lower bits of v. The other bits of v are
// ignored.
func (p *printer) scalar(b flatlayout.Base, v uint64) {
	above := 64 - b.Bits()
	switch b.Info().Class {
	case flatlayout.Boolean:
		p.out = strconv.AppendBool(p.out, v&1 != 0)
	case flatlayout.Signed:
		p.out = strconv.AppendInt(p.out, int64(v<<above)>>above, 10)
	case flatlayout.Floating:
		f := math.Float64frombits(v)
		if b.Bits() == 32 {
			f = float64(math.Float32frombits(uint32(v)))
		}
		p.out = strconv.AppendFloat(p.out, f, 'g', -1, b.Bits())
	default:
		p.out = strconv.AppendUint(p.out, v<<above>>above, 10)
	}
}

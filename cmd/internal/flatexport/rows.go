package flatexport

import (
	"math"

	"github.com/parquet-go/parquet-go"

	"github.com/coppice-go/coppice/internal/flatlayout"
)

// rows creates the rows of the tables for the records of one tree.
type rows struct {
	walk *walk
	tree int64
}

// record adds a row for the record at index i to the table of its kind, and the rows of its lists
// to their tables.
func (r *rows) record(b *block, number int, i uint32) error {
	keys := append(make([]int64, 0, 8), r.tree, int64(number))
	r.start(b.table, keys)
	if err := r.block(b, b.table, i, keys); err != nil {
		return err
	}
	return b.table.row()
}

// start begins a row of t. It sets the key columns to the given values.
func (r *rows) start(t *table, keys []int64) {
	for _, k := range keys {
		t.integer(k)
	}
}

// block adds the fields of a record or struct to a row of t.
func (r *rows) block(b *block, t *table, at uint32, keys []int64) error {
	end := at + b.words
	for k := range b.fields {
		f := &b.fields[k]
		var err error
		switch {
		case f.value.Base == flatlayout.Slice:
			var n, first uint32
			n, first, end = r.walk.slice(b, f, at, end)
			err = r.list(f.list, n, first, keys)
		case f.value.Base == flatlayout.Array:
			err = r.list(f.list, uint32(f.value.Len), at+uint32(f.place.Word), keys)
		case f.inner != nil:
			err = r.block(f.inner, t, at+uint32(f.place.Word), keys)
		default:
			r.field(t, f, at)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// field adds the value of a field that has a single column.
func (r *rows) field(t *table, f *field, at uint32) {
	words, p := r.walk.words, f.place
	switch {
	case p.Present.Width > 0 && words[at+uint32(p.Present.Word)]>>p.Present.Shift&1 == 0,
		p.Type.Base == flatlayout.Optional && !f.value.Base.IsScalar() && words[at+uint32(p.Word)] == 0:
		t.null()
	case p.Small.Width > 0:
		scalar(t, f.value.Base, uint64(words[at+uint32(p.Small.Word)]>>p.Small.Shift))
	default:
		r.value(t, f.value.Base, at+uint32(p.Word))
	}
}

// value adds a value that occupies one or more whole words.
func (r *rows) value(t *table, b flatlayout.Base, at uint32) {
	words := r.walk.words
	switch w := words[at]; {
	case b == flatlayout.Ref || b == flatlayout.Link:
		if w == 0 || !r.walk.reached(int(r.walk.number[w])) {
			t.null()
			return
		}
		t.integer(int64(r.walk.number[w]))
	case b == flatlayout.String:
		t.text(r.walk.in.Text(w))
	case b == flatlayout.Bytes:
		t.put(parquet.ByteArrayValue([]byte(r.walk.in.Text(w))))
	case b.Bits() == 64:
		scalar(t, b, uint64(w)|uint64(words[at+1])<<32)
	default:
		scalar(t, b, uint64(w))
	}
}

// scalar adds a number or a boolean, which is in the low bits of v. The other bits of v are
// ignored.
func scalar(t *table, b flatlayout.Base, v uint64) {
	above := 64 - b.Bits()
	switch class := b.Info().Class; {
	case class == flatlayout.Boolean:
		t.put(parquet.BooleanValue(v&1 != 0))
	case class == flatlayout.Floating && b.Bits() == 32:
		t.put(parquet.FloatValue(math.Float32frombits(uint32(v))))
	case class == flatlayout.Floating:
		t.put(parquet.DoubleValue(math.Float64frombits(v)))
	case class == flatlayout.Signed:
		t.integer(int64(v<<above) >> above)
	default:
		t.integer(int64(v << above >> above))
	}
}

// list adds the rows for the n items of a slice or an array. The first item is at index first.
func (r *rows) list(l *list, n, first uint32, keys []int64) error {
	if l.table == nil && l.inner == nil {
		return nil
	}
	for k := range n {
		item := append(keys, int64(k))
		at := first + k*l.step
		if l.inner != nil {
			if err := r.list(l.inner, uint32(l.elem.Len), at, item); err != nil {
				return err
			}
			continue
		}
		r.start(l.table, item)
		switch {
		case l.item != nil:
			if err := r.block(l.item, l.table, at, item); err != nil {
				return err
			}
		case l.step == 0:
			each := 32 / l.bits
			scalar(l.table, l.elem.Base, uint64(r.walk.words[first+k/each]>>(k%each*l.bits)))
		default:
			r.value(l.table, l.elem.Base, at)
		}
		if err := l.table.row(); err != nil {
			return err
		}
	}
	return nil
}

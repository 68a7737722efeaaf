// Package parse creates documents from tokens: flat trees, the same trees with pointers, and the
// documents of other Makers. If an object contains a key several times, the last value wins, as in
// encoding/json, at the position of the first.
package parse

import "github.com/coppice-go/coppice/workloads/json/go/tokens"

// A Maker creates values of type V, and members of objects of type M, children first. It does not
// keep its arguments.
type Maker[V, M any] interface {
	Null() V
	Bool(v bool) V
	Number(v float64) V
	String(text []byte) V
	Array(items []V) V
	Object(members []M) V
	Member(key string, value V) M
}

// A Reader reads several texts in turn.
type Reader[V, M any] struct {
	source  tokens.Source
	make    Maker[V, M]
	keys    keys
	items   []V      // items of all open arrays, outermost first
	members []M      // members of all open objects
	numbers []uint32 // key numbers of the members
}

// NewReader returns a Reader that creates values with make from the tokens of source.
func NewReader[V, M any](source tokens.Source, make Maker[V, M]) *Reader[V, M] {
	return &Reader[V, M]{source: source, make: make}
}

// Read returns the value of a text.
func (r *Reader[V, M]) Read(text []byte) (V, error) {
	r.source.Start(text)
	r.keys.reset()
	r.items, r.members, r.numbers = r.items[:0], r.members[:0], r.numbers[:0]
	v, err := r.next()
	if err == nil {
		_, err = r.source.Next() // End, or an error if more text follows
	}
	return v, err
}

func (r *Reader[V, M]) next() (V, error) {
	t, err := r.source.Next()
	if err != nil {
		var none V
		return none, err
	}
	return r.value(t)
}

// value returns the value that begins with a token. It recurses as deep as the source
// lets values nest.
func (r *Reader[V, M]) value(t tokens.Token) (V, error) {
	switch t.Kind {
	case tokens.True, tokens.False:
		return r.make.Bool(t.Kind == tokens.True), nil
	case tokens.Number:
		return r.make.Number(t.Value), nil
	case tokens.String:
		return r.make.String(t.Text), nil
	case tokens.BeginArray:
		return r.array()
	case tokens.BeginObject:
		return r.object()
	}
	return r.make.Null(), nil
}

func (r *Reader[V, M]) array() (V, error) {
	first := len(r.items)
	for {
		t, err := r.source.Next()
		if err == nil && t.Kind == tokens.EndArray {
			array := r.make.Array(r.items[first:])
			r.items = r.items[:first]
			return array, nil
		}
		var v V
		if err == nil {
			v, err = r.value(t)
		}
		if err != nil {
			return v, err
		}
		r.items = append(r.items, v)
	}
}

func (r *Reader[V, M]) object() (V, error) {
	first := len(r.members)
	for {
		t, err := r.source.Next()
		if err == nil && t.Kind == tokens.EndObject {
			object := r.make.Object(r.distinct(first))
			r.members, r.numbers = r.members[:first], r.numbers[:first]
			return object, nil
		}
		var v V
		if err != nil {
			return v, err
		}
		key := r.keys.number(t.Text)
		if v, err = r.next(); err != nil {
			return v, err
		}
		r.members = append(r.members, r.make.Member(r.keys.all[key].text, v))
		r.numbers = append(r.numbers, key)
	}
}

// distinct returns the members from first on, each key once and with its last value.
func (r *Reader[V, M]) distinct(first int) []M {
	members := r.members[first:]
	r.keys.objects++
	kept := 0
	for i, number := range r.numbers[first:] {
		k := &r.keys.all[number]
		if k.object == r.keys.objects {
			members[k.at] = members[i]
			continue
		}
		k.object, k.at = r.keys.objects, kept
		members[kept] = members[i]
		kept++
	}
	return members[:kept]
}

// keys contains the distinct keys of one text, with their numbers.
type keys struct {
	numbers map[string]uint32
	all     []key
	objects int // number of objects closed so far
}

type key struct {
	text   string
	object int // number of the last object that has this key, counted from 1
	at     int // index of the key in that object
}

func (k *keys) reset() {
	if k.numbers == nil {
		k.numbers = map[string]uint32{}
	}
	clear(k.numbers)
	clear(k.all)
	k.all, k.objects = k.all[:0], 0
}

func (k *keys) number(text []byte) uint32 {
	if n, ok := k.numbers[string(text)]; ok {
		return n
	}
	n := uint32(len(k.all))
	k.all = append(k.all, key{text: string(text)})
	k.numbers[k.all[n].text] = n
	return n
}

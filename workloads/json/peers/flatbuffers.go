package main

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/coppice-go/coppice/workloads/json/go/measure"
	"github.com/coppice-go/coppice/workloads/json/go/parse"
	"github.com/coppice-go/coppice/workloads/json/go/tokens"
	"github.com/coppice-go/coppice/workloads/json/peers/document"
)

// identifier is the file identifier that document.fbs declares. Every buffer contains it.
const identifier = "JSON"

// buffer is a document of FlatBuffers: the finished bytes, which the accessors of package document
// read.
type buffer struct {
	bytes  []byte
	sorted bool // whether the members of objects are sorted by key
}

// A memberOrder states how the members of objects are ordered in a buffer.
type memberOrder bool

const (
	asWritten memberOrder = false
	byKey     memberOrder = true
)

func newFlatBuffers(order memberOrder) measure.Parser {
	sorted := order == byKey
	w := &writer{Builder: flatbuffers.NewBuilder(1 << 20), sorted: sorted}
	reader := parse.NewReader[pending, member](&tokens.Fast{}, w)
	return func(text []byte) (measure.DOM, error) {
		w.Reset()
		root, err := reader.Read(text)
		if err != nil {
			return nil, err
		}
		w.FinishWithFileIdentifier(w.table(root, 0), []byte(identifier))
		// The builder keeps its buffer for the next document.
		return buffer{slices.Clone(w.FinishedBytes()), sorted}, nil
	}
}

func (d buffer) root() document.Value { return *document.GetRootAsValue(d.bytes, 0) }

func (d buffer) Walk(t *measure.Totals) {
	root := d.root()
	walkBuffer(&root, t)
}

// walkBuffer uses one accessor for all the children of a value, as FlatBuffers advises.
func walkBuffer(v *document.Value, t *measure.Totals) {
	switch v.Kind() {
	case document.KindNull:
		t.Null++
	case document.KindFalse, document.KindTrue:
		t.Bool++
	case document.KindWhole:
		t.AddNumber(float64(v.Whole()))
	case document.KindNumber:
		t.AddNumber(v.Number())
	case document.KindString:
		t.AddString(len(v.Text()))
	case document.KindArray:
		t.Array++
		var child document.Value
		for i := range v.ItemsLength() {
			v.Items(&child, i)
			walkBuffer(&child, t)
		}
	case document.KindObject:
		t.Object++
		var child document.Value
		for i := range v.MembersLength() {
			v.Members(&child, i)
			t.AddMember(len(child.Key()))
			walkBuffer(&child, t)
		}
	}
}

func (d buffer) Get(p measure.Path) uint64 {
	v := d.root()
	for _, step := range p.Steps {
		found := false
		switch v.Kind() {
		case document.KindObject:
			if d.sorted {
				found = findSorted(&v, step.Key)
			} else {
				found = findMember(&v, step.Key)
			}
		case document.KindArray:
			found = uint(step.Index) < uint(v.ItemsLength()) && v.Items(&v, step.Index)
		}
		if !found {
			return measure.Absent
		}
	}
	switch v.Kind() {
	case document.KindFalse, document.KindTrue:
		return measure.AnswerBool(v.Kind() == document.KindTrue)
	case document.KindWhole:
		return measure.AnswerNumber(float64(v.Whole()))
	case document.KindNumber:
		return measure.AnswerNumber(v.Number())
	case document.KindString:
		return measure.AnswerString(len(v.Text()))
	case document.KindArray:
		return measure.AnswerArray
	case document.KindObject:
		return measure.AnswerObject
	}
	return measure.AnswerNull
}

// findMember moves v from an object to its member, if there is one. It searches the members in
// order.
func findMember(v *document.Value, key string) bool {
	var m document.Value
	for i := range v.MembersLength() {
		v.Members(&m, i)
		if string(m.Key()) == key {
			*v = m
			return true
		}
	}
	return false
}

// findSorted is findMember for sorted members. It uses binary search, like the function
// LookupByKey that newer versions of flatc generate.
func findSorted(v *document.Value, key string) bool {
	var m document.Value
	low, high := 0, v.MembersLength()
	for low < high {
		middle := int(uint(low+high) / 2)
		v.Members(&m, middle)
		switch order := bytes.Compare(m.Key(), []byte(key)); {
		case order == 0:
			*v = m
			return true
		case order < 0:
			low = middle + 1
		default:
			high = middle
		}
	}
	return false
}

func (d buffer) Copy(old measure.DOM) measure.DOM {
	if old, ok := old.(buffer); ok {
		return buffer{append(old.bytes[:0], d.bytes...), d.sorted}
	}
	return buffer{slices.Clone(d.bytes), d.sorted}
}

// Save returns a copy of the bytes, so that the loaded document shares nothing with this one.
func (d buffer) Save() ([]byte, error) { return slices.Clone(d.bytes), nil }

// Load keeps the bytes unchanged. FlatBuffers has no verifier for Go.
func (d buffer) Load(stored []byte) (measure.DOM, error) {
	if len(stored) < flatbuffers.SizeUOffsetT+len(identifier) || !flatbuffers.BufferHasIdentifier(stored, identifier) {
		return nil, errors.New("not a FlatBuffers document")
	}
	return buffer{stored, d.sorted}, nil
}

func (d buffer) Sum() uint64 {
	root := d.root()
	return sumBuffer(&root)
}

func sumBuffer(v *document.Value) uint64 {
	var child document.Value
	switch v.Kind() {
	case document.KindFalse, document.KindTrue:
		return measure.SumBool(v.Kind() == document.KindTrue)
	case document.KindWhole:
		return measure.SumNumber(float64(v.Whole()))
	case document.KindNumber:
		return measure.SumNumber(v.Number())
	case document.KindString:
		return measure.SumString(v.Text())
	case document.KindArray:
		sum := measure.SumArray
		for i := range v.ItemsLength() {
			v.Items(&child, i)
			sum = measure.SumItem(sum, sumBuffer(&child))
		}
		return sum
	case document.KindObject:
		sum := measure.SumObject
		for i := range v.MembersLength() {
			v.Members(&child, i)
			sum = measure.SumMember(sum, child.Key(), sumBuffer(&child))
		}
		return sum
	}
	return measure.SumNull
}

func (buffer) Free() {}

// writer creates the values of a document, children first.
type writer struct {
	*flatbuffers.Builder
	sorted bool
	tables []flatbuffers.UOffsetT // offsets of the tables of one vector
}

// pending is a value whose table is not written yet: a table also contains the key, which comes
// later, and must be next to its siblings.
type pending struct {
	kind   document.Kind
	whole  int32
	number float64
	at     flatbuffers.UOffsetT // offset of the text, items or members; 0 if there are none
}

type member struct {
	name  string
	key   flatbuffers.UOffsetT
	value pending
}

func (w *writer) Null() pending { return pending{kind: document.KindNull} }

func (w *writer) Bool(v bool) pending {
	if v {
		return pending{kind: document.KindTrue}
	}
	return pending{kind: document.KindFalse}
}

func (w *writer) Number(v float64) pending {
	if whole, ok := parse.WholeNumber(v); ok {
		return pending{kind: document.KindWhole, whole: whole}
	}
	return pending{kind: document.KindNumber, number: v}
}

func (w *writer) String(text []byte) pending {
	v := pending{kind: document.KindString}
	if len(text) > 0 {
		v.at = w.CreateByteString(text)
	}
	return v
}

// Array writes the tables from the last to the first, because a buffer grows downwards: a traversal
// then reads upwards.
func (w *writer) Array(items []pending) pending {
	v := pending{kind: document.KindArray}
	if len(items) > 0 {
		w.tables = slices.Grow(w.tables[:0], len(items))[:len(items)]
		for i, item := range slices.Backward(items) {
			w.tables[i] = w.table(item, 0)
		}
		v.at = w.CreateVectorOfTables(w.tables)
	}
	return v
}

func (w *writer) Object(members []member) pending {
	v := pending{kind: document.KindObject}
	if len(members) > 0 {
		if w.sorted {
			slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.name, b.name) })
		}
		w.tables = slices.Grow(w.tables[:0], len(members))[:len(members)]
		for i, m := range slices.Backward(members) {
			w.tables[i] = w.table(m.value, m.key)
		}
		v.at = w.CreateVectorOfTables(w.tables)
	}
	return v
}

func (w *writer) Member(key string, value pending) member {
	return member{key, w.CreateSharedString(key), value}
}

// table writes a value, the largest fields first: this order needs the least padding. Fields with
// default values are not stored.
func (w *writer) table(v pending, key flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	b := w.Builder
	document.ValueStart(b)
	switch v.kind {
	case document.KindWhole:
		document.ValueAddWhole(b, v.whole)
	case document.KindNumber:
		document.ValueAddNumber(b, v.number)
	case document.KindString:
		document.ValueAddText(b, v.at)
	case document.KindArray:
		document.ValueAddItems(b, v.at)
	case document.KindObject:
		document.ValueAddMembers(b, v.at)
	}
	document.ValueAddKey(b, key)
	document.ValueAddKind(b, v.kind)
	return document.ValueEnd(b)
}

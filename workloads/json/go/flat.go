package main

import (
	"bytes"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/workloads/json/go/domflat"
	"github.com/coppice-go/coppice/workloads/json/go/measure"
	"github.com/coppice-go/coppice/workloads/json/go/parse"
	"github.com/coppice-go/coppice/workloads/json/go/tokens"
)

// flatDOM is a document in one buffer.
type flatDOM struct{ tree domflat.Tree }

func newFlat(source tokens.Source) measure.Parser {
	f := parse.NewFlat(source)
	return func(text []byte) (measure.DOM, error) {
		tree, err := f.Parse(text)
		return flatDOM{tree}, err
	}
}

func (d flatDOM) Walk(t *measure.Totals) { walkFlat(d.tree.Root(), t) }

func walkFlat(v domflat.Value, t *measure.Totals) {
	switch v.Kind() {
	case domflat.KindNull:
		t.Null++
	case domflat.KindBool:
		t.Bool++
	case domflat.KindInt:
		t.AddNumber(float64(v.AsInt().Value()))
	case domflat.KindNumber:
		t.AddNumber(v.AsNumber().Value())
	case domflat.KindString:
		t.AddString(len(v.AsString().Value()))
	case domflat.KindArray:
		t.Array++
		for item := range v.AsArray().Items {
			walkFlat(item, t)
		}
	case domflat.KindObject:
		t.Object++
		for m := range v.AsObject().Members {
			t.AddMember(len(m.Key()))
			walkFlat(m.Value(), t)
		}
	}
}

func (d flatDOM) Get(p measure.Path) uint64 {
	v := d.tree.Root()
	for _, step := range p.Steps {
		switch v.Kind() {
		case domflat.KindObject:
			v = findFlat(v.AsObject(), step.Key)
		case domflat.KindArray:
			array := v.AsArray()
			if uint(step.Index) >= uint(array.NumItems()) {
				return measure.Absent
			}
			v = array.Item(step.Index)
		default:
			return measure.Absent
		}
	}
	switch v.Kind() {
	case domflat.KindNull:
		return measure.AnswerNull
	case domflat.KindBool:
		return measure.AnswerBool(v.AsBool().Value())
	case domflat.KindInt:
		return measure.AnswerNumber(float64(v.AsInt().Value()))
	case domflat.KindNumber:
		return measure.AnswerNumber(v.AsNumber().Value())
	case domflat.KindString:
		return measure.AnswerString(len(v.AsString().Value()))
	case domflat.KindArray:
		return measure.AnswerArray
	case domflat.KindObject:
		return measure.AnswerObject
	}
	return measure.Absent
}

// findFlat returns the member's value, or nil if there is none. It searches the members in order.
func findFlat(o domflat.Object, key string) domflat.Value {
	for m := range o.Members {
		if m.Key() == key {
			return m.Value()
		}
	}
	return domflat.Value{}
}

// findNumber does the same as findFlat with the key's number, which is looked up once for many
// objects.
func findNumber(o domflat.Object, numbers domflat.StringNumbers, key int) domflat.Value {
	for i := range o.NumMembers() {
		if m := o.Member(i); m.KeyNumber(numbers) == key {
			return m.Value()
		}
	}
	return domflat.Value{}
}

func (d flatDOM) Copy(old measure.DOM) measure.DOM {
	if old, ok := old.(flatDOM); ok {
		return flatDOM{d.tree.CloneInto(old.tree)}
	}
	return flatDOM{d.tree.Clone()}
}

func (d flatDOM) Save() ([]byte, error) {
	var file bytes.Buffer
	_, err := d.tree.WriteTo(&file)
	return file.Bytes(), err
}

func (flatDOM) Load(stored []byte) (measure.DOM, error) {
	tree, err := domflat.Load(stored, flat.LoadLimits{})
	return flatDOM{tree}, err
}

func (d flatDOM) Sum() uint64 { return sumFlat(d.tree.Root()) }

func sumFlat(v domflat.Value) uint64 {
	switch v.Kind() {
	case domflat.KindBool:
		return measure.SumBool(v.AsBool().Value())
	case domflat.KindInt:
		return measure.SumNumber(float64(v.AsInt().Value()))
	case domflat.KindNumber:
		return measure.SumNumber(v.AsNumber().Value())
	case domflat.KindString:
		return measure.SumString(v.AsString().Value())
	case domflat.KindArray:
		sum := measure.SumArray
		for item := range v.AsArray().Items {
			sum = measure.SumItem(sum, sumFlat(item))
		}
		return sum
	case domflat.KindObject:
		sum := measure.SumObject
		for m := range v.AsObject().Members {
			sum = measure.SumMember(sum, m.Key(), sumFlat(m.Value()))
		}
		return sum
	}
	return measure.SumNull
}

func (d flatDOM) Free() { d.tree.Free() }

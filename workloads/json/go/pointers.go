package main

import (
	"github.com/coppice-go/coppice/workloads/json/go/dom"
	"github.com/coppice-go/coppice/workloads/json/go/measure"
)

// pointers is a document of the schema's structs.
type pointers struct{ root dom.Value }

func (d pointers) Walk(t *measure.Totals) { walkPointers(d.root, t) }

func walkPointers(v dom.Value, t *measure.Totals) {
	switch v := v.(type) {
	case *dom.Null:
		t.Null++
	case *dom.Bool:
		t.Bool++
	case *dom.Int:
		t.AddNumber(float64(v.Value))
	case *dom.Number:
		t.AddNumber(v.Value)
	case *dom.String:
		t.AddString(len(v.Value))
	case *dom.Array:
		t.Array++
		for _, item := range v.Items {
			walkPointers(item, t)
		}
	case *dom.Object:
		t.Object++
		for i := range v.Members {
			t.AddMember(len(v.Members[i].Key))
			walkPointers(v.Members[i].Value, t)
		}
	}
}

func (d pointers) Get(p measure.Path) uint64 {
	v := d.root
	for _, step := range p.Steps {
		switch at := v.(type) {
		case *dom.Object:
			v = find(at, step.Key)
		case *dom.Array:
			v = nil
			if uint(step.Index) < uint(len(at.Items)) {
				v = at.Items[step.Index]
			}
		default:
			return measure.Absent
		}
	}
	switch v := v.(type) {
	case nil:
		return measure.Absent
	case *dom.Bool:
		return measure.AnswerBool(v.Value)
	case *dom.Int:
		return measure.AnswerNumber(float64(v.Value))
	case *dom.Number:
		return measure.AnswerNumber(v.Value)
	case *dom.String:
		return measure.AnswerString(len(v.Value))
	case *dom.Array:
		return measure.AnswerArray
	case *dom.Object:
		return measure.AnswerObject
	}
	return measure.AnswerNull
}

// find returns the member's value, or nil if there is none. It searches the members in order.
func find(o *dom.Object, key string) dom.Value {
	for i := range o.Members {
		if o.Members[i].Key == key {
			return o.Members[i].Value
		}
	}
	return nil
}

func (d pointers) Copy(measure.DOM) measure.DOM { return pointers{copyPointers(d.root)} }

// copyPointers copies every value, because each can be changed in place.
func copyPointers(v dom.Value) dom.Value {
	switch v := v.(type) {
	case *dom.Bool:
		return &dom.Bool{Value: v.Value}
	case *dom.Int:
		return &dom.Int{Value: v.Value}
	case *dom.Number:
		return &dom.Number{Value: v.Value}
	case *dom.String:
		return &dom.String{Value: v.Value}
	case *dom.Array:
		items := make([]dom.Value, len(v.Items))
		for i, item := range v.Items {
			items[i] = copyPointers(item)
		}
		return &dom.Array{Items: items}
	case *dom.Object:
		members := make([]dom.Member, len(v.Members))
		for i, m := range v.Members {
			members[i] = dom.Member{Key: m.Key, Value: copyPointers(m.Value)}
		}
		return &dom.Object{Members: members}
	}
	return v // null, which is immutable
}

func (d pointers) Sum() uint64 { return sumPointers(d.root) }

func sumPointers(v dom.Value) uint64 {
	switch v := v.(type) {
	case *dom.Bool:
		return measure.SumBool(v.Value)
	case *dom.Int:
		return measure.SumNumber(float64(v.Value))
	case *dom.Number:
		return measure.SumNumber(v.Value)
	case *dom.String:
		return measure.SumString(v.Value)
	case *dom.Array:
		sum := measure.SumArray
		for _, item := range v.Items {
			sum = measure.SumItem(sum, sumPointers(item))
		}
		return sum
	case *dom.Object:
		sum := measure.SumObject
		for _, m := range v.Members {
			sum = measure.SumMember(sum, m.Key, sumPointers(m.Value))
		}
		return sum
	}
	return measure.SumNull
}

func (pointers) Free() {}

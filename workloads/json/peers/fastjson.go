package main

import (
	"github.com/valyala/fastjson"

	"github.com/coppice-go/coppice/workloads/json/go/measure"
)

// fast is a document of fastjson: values that point to each other, all owned by one parser, and
// strings that point into the parser's copy of the text. It decodes a number each time it is
// read, and a string or key with escapes the first time.
type fast struct {
	parser *fastjson.Parser
	arena  *fastjson.Arena // memory of a copy
	root   *fastjson.Value
}

func (d *fast) Walk(t *measure.Totals) { walkFast(d.root, t) }

func walkFast(v *fastjson.Value, t *measure.Totals) {
	switch v.Type() {
	case fastjson.TypeNull:
		t.Null++
	case fastjson.TypeTrue, fastjson.TypeFalse:
		t.Bool++
	case fastjson.TypeNumber:
		t.AddNumber(v.GetFloat64())
	case fastjson.TypeString:
		t.AddString(len(v.GetStringBytes()))
	case fastjson.TypeArray:
		t.Array++
		for _, item := range v.GetArray() {
			walkFast(item, t)
		}
	case fastjson.TypeObject:
		t.Object++
		v.GetObject().Visit(func(key []byte, value *fastjson.Value) {
			t.AddMember(len(key))
			walkFast(value, t)
		})
	}
}

func (d *fast) Get(p measure.Path) uint64 {
	v := d.root.Get(p.Texts...)
	if v == nil {
		return measure.Absent
	}
	switch v.Type() {
	case fastjson.TypeTrue, fastjson.TypeFalse:
		return measure.AnswerBool(v.GetBool())
	case fastjson.TypeNumber:
		return measure.AnswerNumber(v.GetFloat64())
	case fastjson.TypeString:
		return measure.AnswerString(len(v.GetStringBytes()))
	case fastjson.TypeArray:
		return measure.AnswerArray
	case fastjson.TypeObject:
		return measure.AnswerObject
	}
	return measure.AnswerNull
}

// Copy allocates new arrays and objects in an arena, because the library has no function that
// copies a value. Other values cannot be changed in place, and are shared.
func (d *fast) Copy(old measure.DOM) measure.DOM {
	c := &fast{arena: &fastjson.Arena{}}
	if old, ok := old.(*fast); ok {
		c.arena = old.arena
		c.arena.Reset()
	}
	c.root = copyFast(c.arena, d.root)
	return c
}

func copyFast(a *fastjson.Arena, v *fastjson.Value) *fastjson.Value {
	switch v.Type() {
	case fastjson.TypeArray:
		array := a.NewArray()
		for i, item := range v.GetArray() {
			array.SetArrayItem(i, copyFast(a, item))
		}
		return array
	case fastjson.TypeObject:
		object := a.NewObject()
		v.GetObject().Visit(func(key []byte, value *fastjson.Value) {
			object.Set(string(key), copyFast(a, value))
		})
		return object
	}
	return v
}

func (d *fast) Sum() uint64 { return sumFast(d.root) }

func sumFast(v *fastjson.Value) uint64 {
	switch v.Type() {
	case fastjson.TypeTrue, fastjson.TypeFalse:
		return measure.SumBool(v.GetBool())
	case fastjson.TypeNumber:
		return measure.SumNumber(v.GetFloat64())
	case fastjson.TypeString:
		return measure.SumString(v.GetStringBytes())
	case fastjson.TypeArray:
		sum := measure.SumArray
		for _, item := range v.GetArray() {
			sum = measure.SumItem(sum, sumFast(item))
		}
		return sum
	case fastjson.TypeObject:
		sum := measure.SumObject
		v.GetObject().Visit(func(key []byte, value *fastjson.Value) {
			sum = measure.SumMember(sum, key, sumFast(value))
		})
		return sum
	}
	return measure.SumNull
}

func (*fast) Free() {}

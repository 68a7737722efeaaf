package main

import (
	"reflect"

	"github.com/dop251/goja/file"

	"github.com/coppice-go/coppice/workloads/foreign/driver"
)

// walk visits every field of a tree, because the package has no traversal of its own.
type walk struct {
	sum  driver.Sum
	seen map[uintptr]int // number of each node by address, because some nodes are in the tree twice
}

func (w *walk) value(v any) { w.reflect(reflect.ValueOf(v)) }

func (w *walk) reflect(v reflect.Value) {
	switch v.Kind() {
	case reflect.Invalid:
		w.sum.Number(-1)
	case reflect.Interface:
		w.reflect(v.Elem())
	case reflect.Pointer:
		w.pointer(v)
	case reflect.Struct:
		w.sum.Text(v.Type().Name())
		for i := range v.NumField() {
			w.reflect(v.Field(i))
		}
	case reflect.Slice:
		w.sum.Number(v.Len())
		for i := range v.Len() {
			w.reflect(v.Index(i))
		}
	case reflect.String:
		w.sum.Text(v.String())
	case reflect.Bool:
		if v.Bool() {
			w.sum.Number(1)
		}
	default:
		if v.CanInt() {
			w.sum.Number(int(v.Int()))
		} else if v.CanFloat() {
			w.sum.Number(int(v.Float()))
		}
	}
}

func (w *walk) pointer(v reflect.Value) {
	if v.IsNil() || v.Type() == reflect.TypeFor[*file.File]() {
		w.sum.Number(-2)
		return
	}
	// Two values have the same address if one is the first field of the other. Only nodes are
	// looked up here.
	number, seen := w.seen[v.Pointer()]
	if !seen {
		number = len(w.seen)
		w.seen[v.Pointer()] = number
	}
	w.sum.Number(number)
	if !seen || v.Elem().NumField() == 0 {
		w.reflect(v.Elem())
	}
}

package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A writer writes pseudo-random JavaScript, which is the same every time.
type writer struct {
	strings.Builder
	random *rand.Rand
}

// source returns a script of at least size bytes.
func source(size int) string {
	w := &writer{random: rand.New(rand.NewPCG(5, 6))}
	for i := 0; w.Len() < size; i++ {
		fmt.Fprintf(w, "function f%d(a, b, c) {\n", i)
		for range 3 + w.random.IntN(6) {
			w.statement(2)
		}
		w.WriteString("return ")
		w.expression(2)
		w.WriteString(";\n}\n")
	}
	return w.String()
}

func (w *writer) statement(depth int) {
	if depth == 0 {
		w.expression(2)
		w.WriteString(";\n")
		return
	}
	switch w.random.IntN(6) {
	case 0:
		w.between("if (", ") {\n")
		w.statement(depth - 1)
		w.WriteString("} else {\n")
		w.statement(depth - 1)
		w.WriteString("}\n")
	case 1:
		w.WriteString("for (var i = 0; i < a.length; i++) {\n")
		w.statement(depth - 1)
		w.WriteString("}\n")
	case 2:
		w.between(fmt.Sprintf("var v%d = ", w.random.IntN(1000)), ";\n")
	case 3:
		w.between("a.b = ", ";\n")
	case 4:
		w.between("switch (a) { case 1: ", "; break; default: c(); }\n")
	default:
		w.between("try { ", " } catch (e) { b(e); }\n")
	}
}

// between writes an expression between two texts.
func (w *writer) between(before, behind string) {
	w.WriteString(before)
	w.expression(3)
	w.WriteString(behind)
}

func (w *writer) expression(depth int) {
	if depth == 0 {
		switch w.random.IntN(4) {
		case 0:
			fmt.Fprint(w, w.random.IntN(100000))
		case 1:
			fmt.Fprintf(w, "'text %x'", w.random.Uint32())
		default:
			w.WriteString([]string{"a", "b", "c", "this.d", "window"}[w.random.IntN(5)])
		}
		return
	}
	forms := [][]string{
		{"(", " + ", ")"}, {"(", " === ", ")"}, {"a.call(", ", ", ")"}, {"[", ", ", "]"},
		{"({ x: ", ", y: ", " })"}, {"(function (x) { return ", " || ", "; })"}, {"(a ? ", " : ", ")"}, {"b[", " * ", "]"},
	}
	form := forms[w.random.IntN(len(forms))]
	w.WriteString(form[0])
	w.expression(depth - 1)
	w.WriteString(form[1])
	w.expression(depth - 1)
	w.WriteString(form[2])
}

package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A writer writes pseudo-random Lua, which is the same every time.
type writer struct {
	strings.Builder
	random *rand.Rand
}

// source returns a Lua source of at least size bytes.
func source(size int) string {
	w := &writer{random: rand.New(rand.NewPCG(11, 12))}
	w.WriteString("local module, window = {}, require 'window'\n")
	for i := 0; w.Len() < size; i++ {
		fmt.Fprintf(w, "function module.f%d(a, b, ...)\n", i)
		for range 8 + w.random.IntN(16) {
			w.statement(2)
		}
		w.WriteString("return ")
		w.expression(2)
		w.WriteString("\nend\n")
	}
	w.WriteString("return module\n")
	return w.String()
}

func (w *writer) statement(depth int) {
	if depth == 0 {
		w.between("a.b = ", "\n")
		return
	}
	switch w.random.IntN(7) {
	case 0:
		w.between("if ", " then\n")
		w.statement(depth - 1)
		w.WriteString("else\n")
		w.statement(depth - 1)
		w.WriteString("end\n")
	case 1:
		w.WriteString("for i = 1, #a do\n")
		w.statement(depth - 1)
		w.WriteString("end\n")
	case 2:
		w.between(fmt.Sprintf("local v%d = ", w.random.IntN(1000)), "\n")
	case 3:
		w.between("b[#b + 1], a.c = 'x', ", "\n")
	case 4:
		w.between("while not ", " do\n")
		w.statement(depth - 1)
		w.WriteString("break\nend\n")
	case 5:
		w.between("for k, v in pairs(", ") do\n")
		w.statement(depth - 1)
		w.WriteString("end\n")
	default:
		w.between("window.open(", ")\n")
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
			w.WriteString([]string{"a", "b", "a.c", "module.d", "window"}[w.random.IntN(5)])
		}
		return
	}
	forms := [][]string{
		{"(", " + ", ")"}, {"(", " == ", ")"}, {"a:call(", ", ", ")"}, {"{", ", ", "}"},
		{"{ x = ", ", y = ", " }"}, {"(", " or ", ")"}, {"b(", ", ", ")"}, {"(", " .. ", ")"},
	}
	form := forms[w.random.IntN(len(forms))]
	if w.random.IntN(40) == 0 {
		form = []string{"(function (x) return ", " and ", " end)"}
	}
	w.WriteString(form[0])
	w.expression(depth - 1)
	w.WriteString(form[1])
	w.expression(depth - 1)
	w.WriteString(form[2])
}

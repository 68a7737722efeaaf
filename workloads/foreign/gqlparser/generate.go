package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A writer writes a pseudo-random schema, which is the same every time.
type writer struct {
	strings.Builder
	random *rand.Rand
}

// generate returns a schema of at least size bytes.
func generate(size int) string {
	w := &writer{random: rand.New(rand.NewPCG(9, 10))}
	w.WriteString("schema {\n  query: Object0\n}\n\nscalar Time\n\ndirective @key(fields: String!, when: [Int!] = [1, 2]) repeatable on OBJECT | FIELD_DEFINITION\n\n")
	for i := 0; w.Len() < size; i++ {
		switch w.random.IntN(8) {
		case 0:
			w.enum(i)
		case 1:
			w.input(i)
		case 2:
			fmt.Fprintf(w, "union Union%d = Object0 | Object%d | Object%d\n\n", i, w.random.IntN(100), w.random.IntN(100))
		default:
			w.object(i)
		}
	}
	return w.String()
}

// object writes a type with fields, some of which have arguments.
func (w *writer) object(number int) {
	fmt.Fprintf(w, "\"\"\"\nThe object of the number %d\n\"\"\"\ntype Object%d implements Entity & Named @key(fields: \"id\") {\n", number, number)
	w.WriteString("  id: ID! # it is never another\n")
	for i := range 4 + w.random.IntN(12) {
		if i%5 == 0 {
			fmt.Fprintf(w, "  \"what field %d says\"\n", i)
		}
		fmt.Fprintf(w, "  field%d", i)
		if w.random.IntN(3) == 0 {
			fmt.Fprintf(w, "(first: Int = %d, after: String, filter: Input%d)", w.random.IntN(100), w.random.IntN(100))
		}
		fmt.Fprintf(w, ": %s", w.kind())
		if w.random.IntN(6) == 0 {
			w.WriteString(" @deprecated(reason: \"another has its place\")")
		}
		w.WriteString("\n")
	}
	w.WriteString("}\n\n")
}

func (w *writer) input(number int) {
	fmt.Fprintf(w, "input Input%d {\n", number)
	for i := range 3 + w.random.IntN(6) {
		fmt.Fprintf(w, "  field%d: %s\n", i, w.kind())
	}
	fmt.Fprintf(w, "  range: Range = {low: %d, high: 9.5, tags: [\"a\", \"b\"]}\n}\n\n", w.random.IntN(9))
}

func (w *writer) enum(number int) {
	fmt.Fprintf(w, "enum Enum%d {\n", number)
	for i := range 3 + w.random.IntN(9) {
		fmt.Fprintf(w, "  VALUE_%d\n", i)
	}
	w.WriteString("}\n\n")
}

// kind returns a random type for a field.
func (w *writer) kind() string {
	name := []string{"ID", "Int", "String", "Boolean", "Time", fmt.Sprint("Object", w.random.IntN(100)), fmt.Sprint("Enum", w.random.IntN(100))}[w.random.IntN(7)]
	return fmt.Sprintf([]string{"%s", "%s!", "[%s]", "[%s!]!"}[w.random.IntN(4)], name)
}

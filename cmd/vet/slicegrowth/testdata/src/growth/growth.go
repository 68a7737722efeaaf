// Package growth has what rule slicegrowth must report.
package growth

import (
	"fmt"
	"strconv"
)

type city struct {
	name  string
	parts []string
}

type names []string

func ranged(all []city) []string {
	var out []string // want `append grows out in a loop whose count is known: slices.Grow\(out, len\(all\)\) allocates once`
	for _, c := range all {
		out = append(out, c.name)
	}
	return out
}

func literal(all []city) []string {
	out := []string{} // want `append grows out`
	for _, c := range all {
		out = append(out, c.name)
	}
	return out
}

func made(all map[string]int) []string {
	out := make([]string, 0) // want `slices.Grow\(out, len\(all\)\)`
	for name := range all {
		out = append(out, name)
	}
	return out
}

func counted(n int) []bool {
	var out []bool // want `slices.Grow\(out, max\(0, n\)\)`
	for i := 0; i < n; i++ {
		out = append(out, i%2 == 0)
	}
	return out
}

func constant() []int {
	out := []int(nil) // want `slices.Grow\(out, 1000\)`
	for i := range 1000 {
		out = append(out, i)
	}
	return out
}

func small(n int32) []int32 {
	var out []int32 // want `slices.Grow\(out, max\(0, int\(n\)\)\)`
	for i := range n {
		out = append(out, i)
	}
	return out
}

func two(all []city) names {
	var out names // want `slices.Grow\(out, 2 \* len\(all\)\)`
	for _, c := range all {
		out = append(out, c.name, c.name)
	}
	return out
}

func late(c *city) []string {
	var out []string // want `slices.Grow\(out, len\(c.parts\)\)`
	fmt.Println(c.name)
	for i, p := range c.parts {
		out = append(out, strconv.Itoa(i)+p)
	}
	return out
}

func unsigned(n uint8) []uint8 {
	var out []uint8 // want `slices.Grow\(out, max\(0, int\(n\)\)\)`
	for i := uint8(0); i < n; i++ {
		out = append(out, i)
	}
	return out
}

func shifted() []int {
	var out []int // want `slices.Grow\(out, 1 << 10\)`
	for i := 0; i < 1<<10; i++ {
		out = append(out, i)
	}
	return out
}

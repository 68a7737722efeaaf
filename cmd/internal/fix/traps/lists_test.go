package traps

import (
	"math/rand/v2"
	"strings"
)

// ofPresize generates a module with a loop that appends to a slice. The check prints everything
// that code can observe of the slice, so it detects an incorrect change. A change is required only
// if the slice is not observable before the loop ends.
func ofPresize(r *rand.Rand, number int) *module {
	m := newModule("presize")
	declared := pick(r, "var out []int", "out := []int{}")
	loop := pick(r, "for _, x := range in {", "for i := 0; i < len(in); i++ {\n\t\tx := in[i]")
	before, inside, result, after := "", "", "2*x", "return out"
	ways := []string{"plain", "callback", "recovered", "deferred", "kept", "address", "looked-at", "capacity", "closure", "early"}
	switch m.twist = ways[number%len(ways)]; m.twist {
	case "plain":
	case "callback":
		result = "f(x)"
	case "recovered":
		before, result = "defer func() {\n\t\tif recover() != nil {\n\t\t\tres = out\n\t\t}\n\t}()\n\t", pick(r, "f(x)", "12 / x", "in[x]")
	case "deferred":
		before, result = "defer func() { see(out == nil) }()\n\t", pick(r, "f(x)", "12 / x", "in[x]")
	case "kept":
		inside = pick(r, "keep = append(keep, out)", "keep = append(keep, out[:len(out):len(out)])", "keep = append(keep, append(out, -x))")
		after = "for i := range out {\n\t\tout[i]++\n\t}\n\t" + after
	case "address":
		inside = "firsts = append(firsts, &out[0])"
		after = "out = append(out[:0], 77)\n\t" + after
	case "looked-at":
		inside = "see(out)"
		after = "out = append(out[:0], 77)\n\t" + after
	case "capacity":
		inside = "see(cap(out) == len(out))"
	case "closure":
		before = "state = func() []int { return out }\n\t"
		result = "f(x)"
	case "early":
		inside = "if x == 3 {\n\t\t\treturn out\n\t\t}"
	}
	if m.twist != "plain" {
		m.verdict = wantOutput
	}
	if inside != "" {
		inside = "\t\t" + inside + "\n"
	}
	m.files["calc.go"] = "package calc\n\nvar (\n\tkeep   [][]int\n\tfirsts []*int\n\tstate  func() []int\n)\n\n" +
		"// Seen is what was seen meanwhile.\nfunc Seen() (all [][]int, values []int, state func() []int) {\n\tfor _, f := range firsts {\n\t\tvalues = append(values, *f)\n\t}\n\treturn keep, values, last()\n}\n\n" +
		"func last() func() []int {\n\tif state == nil {\n\t\treturn func() []int { return nil }\n\t}\n\treturn state\n}\n\n" +
		"// List makes a list.\nfunc List(in []int, f func(int) int, see func(any)) (res []int) {\n\t" + declared + "\n\t" + before + loop + "\n" +
		strings.ReplaceAll("\t\tout = append(out, RESULT) //site:presize\n", "RESULT", result) + inside + "\t}\n\t" + after + "\n}\n"
	m.check(`for _, in := range [][]int{nil, {}, {1, 2, 3, 4, 5}, {0, 1}, {9, 1}} {
	func() {
		defer func() { fmt.Println(recover() != nil) }()
		out := calc.List(in, func(x int) int { return 6 / x }, func(v any) { fmt.Println("seen", v) })
		fmt.Println(out, out == nil)
	}()
	kept, values, state := calc.Seen()
	fmt.Println(kept, values, state(), state() == nil)
}
`)
	return m
}

// ofOneArray generates a module that allocates two slices next to each other. The check prints
// everything that code can observe of them.
func ofOneArray(r *rand.Rand, _ int) *module {
	m := newModule("one-array")
	element := pick(r, "int", "byte", "float64", "[3]int", "struct{}")
	first, second := pick(r, "len(p)", "n", "4"), pick(r, "len(p)", "k", "3")
	places := pick(r, [2]string{"a :=", "b :="}, [2]string{"t.A =", "t.B ="}, [2]string{`t.M["a"] =`, `t.M["b"] =`}, [2]string{"A =", "B ="})
	recovers := r.IntN(2) == 0
	m.twist = "plain"
	body := "\t" + places[0] + " make([]T, " + first + ") //site:one-array\n\t" + places[1] + " make([]T, " + second + ") //site:one-array\n"
	if places[0] == "a :=" {
		body += "\tt.A, t.B = a, b\n"
	}
	if recovers {
		m.twist = "recovered"
		body = "\tdefer func() { t.Failed = recover() != nil }()\n" + body
	}
	if recovers || strings.Contains(body, ", n)") || strings.Contains(body, ", k)") || strings.Contains(body, "t.M") {
		m.verdict = wantOutput
	}
	if element == "struct{}" || first == "4" || second == "3" {
		m.verdict = wantOutput // the slices take no memory, or have constant lengths
	}
	m.files["calc.go"] = "package calc\n\n// T is an element.\ntype T = " + element + "\n\n// Two has two slices.\ntype Two struct {\n\tA, B   []T\n\tM      map[string][]T\n\tFailed bool\n}\n\n" +
		"var A, B []T\n\n// Globals are the variables.\nfunc Globals() ([]T, []T) { return A, B }\n\n" +
		"// Make makes both.\nfunc Make(t *Two, p []int, n, k int) {\n" + body + "}\n"
	m.check(`for _, sizes := range [][2]int{{2, 3}, {0, 0}, {4, -1}, {-1, 4}} {
	t := &calc.Two{M: map[string][]calc.T{}}
	func() {
		defer func() { fmt.Println(recover() != nil) }()
		calc.Make(t, []int{1, 2}, sizes[0], sizes[1])
	}()
	a, b := calc.Globals()
	var zero calc.T
	fmt.Println(t.A, t.B, t.M, t.Failed, len(a), len(b), cap(t.A), cap(t.B))
	t.A = append(t.A, zero)
	fmt.Println(t.A, t.B)
}
`)
	return m
}

package growth

import "iter"

func withRoom(all []city) []string {
	out := make([]string, 0, len(all))
	for _, c := range all {
		out = append(out, c.name)
	}
	return out
}

func filtered(all []city) []string {
	var out []string
	for _, c := range all {
		if c.name != "" {
			out = append(out, c.name)
		}
	}
	return out
}

func stopped(all []city) []string {
	var out []string
	for _, c := range all {
		if c.name == "" {
			break
		}
		out = append(out, c.name)
	}
	return out
}

func failed(all []city) ([]string, error) {
	var out []string
	for _, c := range all {
		if c.name == "" {
			return nil, nil
		}
		out = append(out, c.name)
	}
	return out, nil
}

func received(in chan string) []string {
	var out []string
	for s := range in {
		out = append(out, s)
	}
	return out
}

func iterated(in iter.Seq[string]) []string {
	var out []string
	for s := range in {
		out = append(out, s)
	}
	return out
}

func unknown(more func() bool) []int {
	var out []int
	for i := 0; more(); i++ {
		out = append(out, i)
	}
	return out
}

func called(all func() []city) []string {
	var out []string
	for _, c := range all() {
		out = append(out, c.name)
	}
	return out
}

func twice(a, b []city) []string {
	var out []string
	for _, c := range a {
		out = append(out, c.name)
	}
	for _, c := range b {
		out = append(out, c.name)
	}
	return out
}

func assigned(all []city) []string {
	out := make([]string, len(all))
	for i, c := range all {
		out[i] = c.name
	}
	return out
}

func nested(all []city) []string {
	var out []string
	for _, c := range all {
		for _, p := range c.parts {
			out = append(out, p)
		}
	}
	return out
}

func shadowed(all []city) []string {
	var out []string
	for _, c := range all {
		out := []string{}
		out = append(out, c.name)
		_ = out
	}
	return out
}

func wanted(all []city) []string {
	//coppice:ignore slicegrowth what append costs is measured here
	var out []string
	for _, c := range all {
		out = append(out, c.name)
	}
	return out
}

func skipped(all map[string]int) []string {
	var out []string
	for name := range all {
		switch name {
		case "ash", "oak":
			continue
		}
		out = append(out, name)
	}
	return out
}

func wrapsAround(n uint32) []uint32 {
	var out []uint32
	for i := uint32(2); i < n; i++ { // n-2 is four thousand million where n is 1
		out = append(out, i)
	}
	return out
}

func found(m map[string][]string, all []city) []string {
	var out []string
	var ok bool
	out, ok = m["ash"] // a list that others have
	if ok {
		all = all[1:]
	}
	for _, c := range all {
		out = append(out, c.name)
	}
	return out
}

type list []string

func (l *list) fill() { *l = append(*l, "ash") }

func filled(all []city) list {
	var out list
	out.fill()
	for _, c := range all {
		out = append(out, c.name)
	}
	return out
}

func begun(c *city, first func() int) []string {
	var out []string
	for i, n := 0, first(); i < len(c.parts); i++ { // which may change the parts
		out = append(out, c.parts[i][n:])
	}
	return out
}

func passedOver(all []city, skip bool) []string {
	var out []string
	for _, c := range all {
		for i := 0; i < 1; i++ {
			switch {
			case skip:
				continue
			}
			out = append(out, c.name)
		}
	}
	return out
}

func cut(tail []string, none bool) []string {
	var out []string
	for i := 0; i < 1; i++ {
		if none {
			tail = nil
		}
		out = append(out, tail...)
	}
	return out
}

func hidden(array *[3]string, all []city) []string {
	nil := array[:0]
	var out []string = nil
	for _, c := range all {
		out = append(out, c.name)
	}
	return out
}

func measured(all []city) []string {
	len := func([]city) int { return 8 }
	var out []string
	for _, c := range all {
		out = append(out, c.name)
	}
	_ = len(all)
	return out
}

func another(all, others []city) []string {
	var out []string
	for i, all := 0, others; i < len(all); i++ {
		out = append(out, all[i].name)
	}
	return out
}

func kept(all []city, give func([]string)) []string {
	var out []string
	for _, c := range all {
		give(append(out, c.name)) // which grows another list
	}
	return out
}

var shared []string

func restart() { shared = []string{"ash"} }

func sharedGrows(all []city) []string {
	shared = nil
	for _, c := range all {
		restart()
		shared = append(shared, c.name)
	}
	return shared
}

func leftInside(all []city, parts []string) []string {
	var out []string
	for range all {
		for _, p := range parts {
			switch p {
			case "ash":
				continue
			}
			out = append(out, p)
		}
	}
	return out
}

func mayBeNil(all []city, c *city) []string {
	var out []string
	for range all { // without turns, nothing reads c
		out = append(out, c.parts...)
	}
	return out
}

func mayBeNilInside(all []city, c *city) []string {
	var out []string
	for range all {
		for _, p := range c.parts {
			out = append(out, p)
		}
	}
	return out
}

func otherConstant(n, m int) []int {
	var out []int
	for i := 0; i < n; i++ {
		const m = 2
		for j := 0; j < m; j++ {
			out = append(out, i*j)
		}
	}
	_ = m
	return out
}

func productsInSum(n, m, o int) []int {
	var out []int
	for i := 0; i < n; i++ {
		out = append(out, i)
		for j := 0; j < m; j++ { // m*o is above 0 if both are below
			for k := 0; k < o; k++ {
				out = append(out, j*k)
			}
		}
	}
	return out
}

func smallProduct(n, m int8) []int8 {
	var out []int8
	for i := int8(0); i < n; i++ {
		for j := int8(0); j < m; j++ {
			out = append(out, i*j)
		}
	}
	return out
}

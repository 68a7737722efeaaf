package growth

import (
	"bytes"
	"fmt"
	"strconv"
)

// The body changes what says how often the loop runs.

func boundAssigned(n int) []int {
	var out []int
	for i := 0; i < n; i++ {
		out = append(out, i)
		if i == 3 {
			n = 5
		}
	}
	return out
}

func boundByPointer(n int, stop func(*int)) []int {
	var out []int
	for i := 0; i < n; i++ {
		out = append(out, i)
		stop(&n)
	}
	return out
}

func boundByOtherPointer(n int) []int {
	var out []int
	p := &n
	for i := 0; i < n; i++ {
		out = append(out, i)
		*p = 3
	}
	return out
}

func boundInClosure(n int) []int {
	var out []int
	less := func() { n-- }
	for i := 0; i < n; i++ {
		out = append(out, i)
		less()
	}
	return out
}

func boundInRange(n int, all []int) []int {
	var out []int
	for i := 0; i < n; i++ {
		out = append(out, i)
		for n = range all {
		}
	}
	return out
}

func counterSkips(n int) []int {
	var out []int
	for i := 0; i < n; i++ {
		out = append(out, i)
		i += 9
	}
	return out
}

func counterByPointer(n int, skip func(*int)) []int {
	var out []int
	for i := 0; i < n; i++ {
		out = append(out, i)
		skip(&i)
	}
	return out
}

type counted2 struct {
	n    int
	list []int
	sub  struct{ n int }
}

func (s *counted2) less() { s.n = 0 }

func (s *counted2) lessBelow() { s.less() }

func (s *counted2) all() { *s = counted2{} }

func (s *counted2) look() int { return s.n }

func fieldByMethod(s *counted2) []int {
	var out []int
	for i := 0; i < s.n; i++ {
		out = append(out, i)
		s.less()
	}
	return out
}

func fieldByMethodBelow(s *counted2) []int {
	var out []int
	for i := 0; i < s.n; i++ {
		out = append(out, i)
		s.lessBelow()
	}
	return out
}

func fieldOfWhole(s *counted2) []int {
	var out []int
	for i := 0; i < s.sub.n; i++ {
		out = append(out, i)
		s.all()
	}
	return out
}

func fieldByOther(s, other *counted2) []int {
	var out []int
	for i := 0; i < s.n; i++ {
		out = append(out, i)
		other.n-- // may be s
	}
	return out
}

func fieldOfVariable() []int {
	var out []int
	var s counted2
	s.n = 9
	for i := 0; i < s.n; i++ {
		out = append(out, i)
		s.less()
	}
	return out
}

func fieldByCaller(s *counted2, do func(int) int) []int {
	var out []int
	for i := 0; i < s.n; i++ {
		out = append(out, do(i))
	}
	return out
}

func fieldByOtherPackage(s *counted2, to fmt.Stringer) []string {
	var out []string
	for i := 0; i < s.n; i++ {
		out = append(out, fmt.Sprint(to))
	}
	return out
}

func fieldReplaced(s *counted2, others []*counted2) []int {
	var out []int
	for i := 0; i < s.n; i++ {
		out = append(out, i)
		s = others[i]
	}
	return out
}

func fieldAfterSignal(s *counted2, ready chan int) []int {
	var out []int
	for i := 0; i < s.n; i++ {
		out = append(out, <-ready)
	}
	return out
}

func queue(q []int) []int {
	var out []int
	for i := 0; i < len(q); i++ {
		out = append(out, q[i])
		q = q[:2]
	}
	return out
}

func queueGrows(q []int) []int {
	var out []int
	for i := 0; i < len(q); i++ {
		out = append(out, q[i])
		if q[i] > 9 {
			q = append(q, q[i]/2)
		}
	}
	return out
}

var limit int

func lower() { limit-- }

func global() []int {
	var out []int
	for i := 0; i < limit; i++ {
		out = append(out, i)
		lower()
	}
	return out
}

func pointer(n *int, other *int) []int {
	var out []int
	for i := 0; i < *n; i++ {
		out = append(out, i)
		*other = i // may be n
	}
	return out
}

func element(n []int) []int {
	var out []int
	for i := 0; i < n[0]; i++ {
		out = append(out, i)
		n[i] = 0
	}
	return out
}

func elementCopied(n, more []int) []int {
	var out []int
	for i := 0; i < n[0]; i++ {
		out = append(out, i)
		copy(n, more)
	}
	return out
}

func elementOfParameter[S ~[]int](n []int, s S) []int {
	var out []int
	for i := 0; i < n[0]; i++ {
		out = append(out, i)
		s[i] = 0 // may be n
	}
	return out
}

func parameterCopied[S ~[]int](n []int, s S, more []int) []int {
	var out []int
	for i := 0; i < n[0]; i++ {
		out = append(out, i)
		copy(s, more) // may be n
	}
	return out
}

func pointerToParameter[N ~int](n *int, other *N) []int {
	var out []int
	for i := 0; i < *n; i++ {
		out = append(out, i)
		*other = 0 // may be n
	}
	return out
}

func keysAddedToParameter[M ~map[string]int](all map[string]int, other M) []string {
	var out []string
	for name := range all {
		out = append(out, name)
		other[name+"2"] = 1 // may be all
	}
	return out
}

func keys(all map[string]int) []string {
	var out []string
	for name := range all {
		out = append(out, name)
		delete(all, name+"2")
	}
	return out
}

func keysAdded(all map[string]int) []string {
	var out []string
	for name := range all {
		out = append(out, name)
		all[name+"2"] = 1
	}
	return out
}

func lists(all []city, part []string) []string {
	var out []string
	for range all {
		out = append(out, part...)
		part = part[1:]
	}
	return out
}

func otherVariable(n int, all []city) []int {
	var out []int
	for i, n := 0, len(all); i < n; i++ {
		out = append(out, i)
	}
	return out
}

func inner(n, m int) []int {
	var out []int
	for i := 0; i < n; i++ {
		for j := 0; j < m; j++ {
			out = append(out, i*j)
		}
		m--
	}
	return out
}

func innerByMethod(n int, s counted2) []int {
	var out []int
	for i := 0; i < n; i++ {
		for j := 0; j < s.n; j++ {
			out = append(out, i*j)
		}
		s.less()
	}
	return out
}

func partInClosure() []int {
	var out []int
	s := counted2{n: 9}
	less := func() { s.n-- }
	for i := 0; i < s.n; i++ {
		out = append(out, i)
		less()
	}
	return out
}

func counterByOwnPointer(n int) []int {
	var out []int
	for i := 0; i < n; i++ {
		out = append(out, i)
		p := &i
		*p += 9
	}
	return out
}

func waiting(ready chan int) []int {
	var out []int
	for i := 0; i < len(ready); i++ {
		out = append(out, <-ready)
	}
	return out
}

func keysOfAny[M ~map[K]int, K comparable](all M) []K {
	var out []K
	for name := range all {
		out = append(out, name)
		delete(all, out[0])
	}
	return out
}

func boundDeclared(all []city) []int {
	var out []int
	for i, n := 0, len(all); i < n; i++ {
		n--
		out = append(out, n)
	}
	return out
}

// Here it changes something else.

func ranged2(q []int) []int {
	var out []int // want `append grows out`
	for _, v := range q {
		out = append(out, v) // range looks once
		q = q[:2]
	}
	return out
}

func rangedNumber(n int) []int {
	var out []int // want `append grows out`
	for i := range n {
		out = append(out, i)
		n--
	}
	return out
}

func boundBefore(n int) []int {
	var out []int // want `append grows out`
	n = n / 2
	p := &n
	*p++
	for i := 0; i < n; i++ {
		out = append(out, i)
	}
	return out
}

func lower2() int { return limit / 2 }

func looks(s *counted2) []int {
	var out []int // want `append grows out`
	for i := 0; i < s.n; i++ {
		out = append(out, s.look()+lower2())
		s.list = nil
	}
	return out
}

func otherPackage(s *counted2, b *bytes.Buffer) []string {
	var out []string // want `append grows out`
	for i := 0; i < s.n; i++ {
		b.Reset()
		_ = fmt.Sprint(i, "x")
		out = append(out, strconv.Itoa(i)+b.String())
	}
	return out
}

func elements(q []int) []int {
	var out []int // want `append grows out`
	for i := 0; i < len(q); i++ {
		out = append(out, q[i])
		q[i] = 0
	}
	return out
}

func fieldOfOwn(list []int, do func(int) int) []int {
	var out []int // want `append grows out`
	s := counted2{n: len(list)}
	for i := 0; i < s.n; i++ {
		out = append(out, do(i))
	}
	return out
}

func keysOfOther(all, other map[string]int, more map[string]bool) []string {
	var out []string // want `append grows out`
	for name := range all {
		out = append(out, name)
		more[name] = true
	}
	return out
}

func innerSteady(n, m int) []int {
	var out []int // want `append grows out`
	for i := 0; i < n; i++ {
		for j := 0; j < m; j++ {
			out = append(out, i*j)
		}
	}
	return out
}

func fallsThrough(all []city) []int {
	var out []int // want `append grows out`
	for i, c := range all {
		switch c.name {
		case "ash":
			i++
			fallthrough
		default:
			i++
		}
		out = append(out, i)
	}
	return out
}

func leavesOther(all, others []city) []int {
	var out []int // want `append grows out`
	for i := range all {
		for _, o := range others {
			if o.name == "" {
				break
			}
			i++
		}
		out = append(out, i)
	}
	return out
}

func addressBehind(all []city, keep func(*[]int)) {
	var out []int // want `append grows out`
	for i := range all {
		out = append(out, i)
	}
	keep(&out)
}

func onlyDeclared(all []city) []int {
	var out []int // want `append grows out`
	for i, n := 0, 9; i < len(all); i++ {
		n++ // says nothing of the loop
		out = append(out, n)
	}
	return out
}

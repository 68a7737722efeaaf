package traps

import (
	"math/rand/v2"
	"strings"
)

// A twist contains declarations that create an owner and use it in some way. In text, OWNER stands
// for the owner's type. use(p, n) uses an owner, and returns a function that returns the result
// later.
type twist struct {
	name          string
	slab, scratch verdict // the verdict for a module with it
	idle          bool    // needs an owner whose methods do not always write to it
	imports       []string
	text          string
	print         string // expression that the check prints; calc.Extra() if empty
	helper        string // source of an additional package, or ""
}

// twists lists what may happen to an owner. If the owner is only passed to other functions, the
// verdict is wantEdit.
var twists = []twist{
	{name: "again", slab: wantEdit, scratch: wantEdit, text: `
func Extra() int {
	p := &OWNER{}
	a, b := use(p, 1), use(p, 2)
	return a() + b()
}`},
	{name: "closure-at-once", slab: wantEdit, scratch: wantEdit, text: `
func Extra() (n int) {
	p := &OWNER{}
	func() { n = use(p, 3)() }()
	return n
}`},
	{name: "deferred", slab: wantEdit, scratch: wantEdit, text: `
func Extra() (n int) {
	p := &OWNER{}
	defer func() { n += use(p, 3)() }()
	return use(p, 1)()
}`},
	{name: "comparator", slab: wantEdit, scratch: wantEdit, imports: []string{"sort"}, text: `
func Extra() []int {
	p := &OWNER{}
	all := []int{3, 1, 2}
	sort.Slice(all, func(i, j int) bool { return use(p, all[i])() < use(p, all[j])() })
	return all
}`},
	{name: "interface-of-package", slab: wantEdit, scratch: wantEdit, text: `
type user interface{ do(n int) func() int }

func (p *OWNER) do(n int) func() int { return use(p, n) }

func twice(u user) int { return u.do(1)() + u.do(2)() }

func Extra() int { return twice(&OWNER{}) }`},
	{name: "lock-elsewhere", slab: wantEdit, scratch: wantEdit, imports: []string{"sync"}, text: `
var mu sync.Mutex

func Extra() int {
	mu.Lock()
	defer mu.Unlock()
	return use(&OWNER{}, 1)()
}`},
	{name: "goroutine-own", slab: wantEdit, scratch: wantEdit, text: `
func Extra() int {
	to := make(chan int)
	for n := range 3 {
		go func() { to <- use(&OWNER{}, n)() }()
	}
	return <-to + <-to + <-to
}`},
	{name: "copied", slab: wantNoEdit, scratch: wantOutput, text: `
func Extra() (sum int) {
	p := &OWNER{}
	for range 20 {
		use(p, 0)
	}
	q := *p
	a, b := use(p, 1), use(&q, 2)
	return 10*a() + b()
}`},
	{name: "saved", slab: wantNoEdit, scratch: wantOutput, text: `
func Extra() (sum int) {
	p := &OWNER{}
	for range 20 {
		use(p, 0)
	}
	saved := *p
	a := use(p, 1)
	*p = saved
	b := use(p, 2)
	return 10*a() + b()
}`},
	{name: "element", slab: wantNoEdit, scratch: wantOutput, text: `
func Extra() (sum int) {
	all := make([]OWNER, 1)
	for range 20 {
		use(&all[0], 0)
	}
	more := append(all, OWNER{})
	a, b := use(&all[0], 1), use(&more[0], 2)
	return 10*a() + b()
}`},
	{name: "compared", slab: wantNoEdit, scratch: wantNoEdit, text: `
func Extra() bool {
	var p, q OWNER
	use(&p, 1)
	return p == q
}`},
	{name: "map-key", slab: wantNoEdit, scratch: wantNoEdit, text: `
func Extra() int {
	seen := map[OWNER]int{}
	var p OWNER
	seen[p] = use(&p, 1)()
	return len(seen)
}`},
	{name: "interface-key", slab: wantNoEdit, scratch: wantNoEdit, text: `
func Extra() int {
	seen := map[any]int{}
	var p OWNER
	n := use(&p, 1)()
	seen[p] = n
	return len(seen)
}`},
	{name: "unkeyed", slab: wantNoEdit, scratch: wantNoEdit, text: `
func Extra() int { return use(&OWNER{0, 0, 0}, 1)() }`},
	{name: "converted", slab: wantNoEdit, scratch: wantNoEdit, text: `
type twin struct{ at, big, visits int }

func Extra() int {
	p := &OWNER{}
	use(p, 1)
	return (*twin)(p).big
}`},
	{name: "size", slab: wantNoEdit, scratch: wantNoEdit, imports: []string{"unsafe"}, text: `
func Extra() uintptr { return unsafe.Sizeof(OWNER{}) / unsafe.Sizeof(0) }`},
	{name: "printed", slab: wantNoEdit, scratch: wantNoEdit, imports: []string{"fmt"}, text: `
func Extra() string {
	p := &OWNER{}
	use(p, 1)
	return fmt.Sprintf("%+v", p)
}`},
	{name: "dumped", slab: wantNoEdit, scratch: wantNoEdit, imports: []string{"example.com/calc/dump"}, text: `
func Extra() string {
	p := &OWNER{}
	use(p, 1)
	return dump.Text(p)
}`, helper: "package dump\n\nimport \"fmt\"\n\nfunc Text(v any) string { return fmt.Sprintf(\"%+v\", v) }\n"},
	{name: "cloned", slab: wantNoEdit, scratch: wantOutput, imports: []string{"example.com/calc/clone"}, text: `
func Extra() int {
	p := &OWNER{}
	for range 20 {
		use(p, 0)
	}
	q := clone.Of(p)
	a, b := use(p, 1), use(q, 2)
	return 10*a() + b()
}`, helper: "package clone\n\nfunc Of[T any](v *T) *T {\n\tc := *v\n\treturn &c\n}\n"},
	{name: "deep-equal", slab: wantNoEdit, scratch: wantNoEdit, imports: []string{"reflect"}, text: `
func Extra() bool {
	p, q := &OWNER{}, &OWNER{}
	use(p, 1)
	p.at, p.big, p.visits = 0, 0, 0
	return reflect.DeepEqual(p, q)
}`},
	{name: "field-count", slab: wantNoEdit, scratch: wantNoEdit, imports: []string{"reflect"}, text: `
func Extra() int { return reflect.TypeFor[OWNER]().NumField() }`},
	{name: "panic-value", slab: wantNoEdit, scratch: wantNoEdit, text: `
func Fail() {
	p := &OWNER{}
	use(p, 1)
	panic(p)
}`, print: `func() (text string) {
	defer func() { text = fmt.Sprintf("%+v", recover()) }()
	calc.Fail()
	return ""
}()`},
	{name: "nil", slab: wantNoEdit, scratch: wantNoEdit, idle: true, text: `
func Extra() int {
	var p *OWNER
	return use(p, 1)()
}`},
	{name: "nil-in-interface", slab: wantNoEdit, scratch: wantNoEdit, idle: true, text: `
type user interface{ do(n int) func() int }

func (p *OWNER) do(n int) func() int { return use(p, n) }

func Extra() int {
	var none *OWNER
	var u user = none
	return u.do(1)()
}`},
	{name: "holder", slab: wantNoEdit, scratch: wantNoEdit, idle: true, text: `
type Holder struct{ p *OWNER }

func NewHolder() *Holder { return &Holder{&OWNER{}} }

func (h *Holder) Use(n int) func() int { return use(h.p, n) }`, print: "several(calc.NewHolder().Use)"},
	{name: "closure-returned", slab: wantNoEdit, scratch: wantNoEdit, idle: true, text: `
func Job() func(n int) func() int {
	p := &OWNER{}
	return func(n int) func() int { return use(p, n) }
}`, print: "several(calc.Job())"},
	{name: "interface-returned", slab: wantNoEdit, scratch: wantNoEdit, idle: true, text: `
type Worker interface{ Do(n int) func() int }

func (p *OWNER) Do(n int) func() int { return use(p, n) }

func NewWorker() Worker { return &OWNER{} }`, print: "several(calc.NewWorker().Do)"},
	{name: "package-variable", slab: wantNoEdit, scratch: wantNoEdit, idle: true, text: `
var shared = &OWNER{}

func Shared(n int) func() int { return use(shared, n) }`, print: "several(calc.Shared)"},
	{name: "goroutines", slab: wantNoEdit, scratch: wantNoEdit, idle: true, text: `
func Extra() (wrong bool) {
	p := &OWNER{}
	to := make(chan bool)
	for n := range 4 {
		go func() {
			bad := false
			for range 300 {
				var all []func() int
				for i := range 100 {
					all = append(all, use(p, n*100+i))
				}
				for i, f := range all {
					bad = bad || f() != use(&OWNER{}, n*100+i)()
				}
			}
			to <- bad
		}()
	}
	for range 4 {
		wrong = <-to || wrong
	}
	return wrong
}`},
}

// several is a file of the check. It calls one function from several goroutines.
const several = `package main

import "sync"

func several(f func(int) func() int) bool {
	bad := make([]bool, 4)
	var wg sync.WaitGroup
	for k := range bad {
		wg.Go(func() {
			for range 300 {
				var all []func() int
				for i := range 100 {
					all = append(all, f(k*100+i))
				}
				for i, g := range all {
					bad[k] = bad[k] || g() != f(k*100 + i)()
				}
			}
		})
	}
	wg.Wait()
	return bad[0] || bad[1] || bad[2] || bad[3]
}
`

// places lists where the declarations of a twist may be added.
var places = []string{"file", "tag", "os", "test"}

// twisted adds a twist to a module with an owner. If idle is false, the owner's methods always
// write to it, so it can neither be shared by goroutines nor be nil.
func (m *module) twisted(number int, idle bool) {
	t := twists[number%len(twists)]
	for i := 1; t.idle && !idle; i++ {
		t = twists[(number+i)%len(twists)]
	}
	m.twist, m.verdict = t.name, t.slab
	if m.remedy == "scratch" {
		m.verdict = t.scratch
	}
	if t.print == "" {
		t.print = "calc.Extra()"
	}
	m.add(places[number/len(twists)%len(places)], strings.ReplaceAll(t.text, "OWNER", "parser")[1:]+"\n", t.imports, "fmt.Println("+t.print+")\n")
	if t.helper != "" {
		name := strings.Fields(t.helper)[1]
		m.files[name+"/"+name+".go"] = t.helper
	}
	if strings.HasPrefix(t.print, "several") {
		m.files["check/several.go"] = several
	}
	if m.place != "file" && m.place != "tag" {
		delete(m.files, "check/several.go")
	}
}

// ofSlab generates a module with an owner that allocates values.
func ofSlab(r *rand.Rand, number int) *module {
	m := newModule("slab")
	write, idle := "", true
	switch r.IntN(4) {
	case 0:
		write, idle = "\tp.at++\n", false
	case 1:
		write = "\tif v > 1000 {\n\t\tp.big++\n\t}\n"
	case 2:
		write, idle = "\tp.step()\n", false
	}
	element := pick(r, "struct{ V, W int }", "struct {\n\tV    int\n\tNext *Leaf\n}", "struct {\n\tV    int\n\tText string\n\tRest [9]int\n}", "struct {\n\tbase\n\tV int\n}")
	made := pick(r, "&Leaf{V: v} //site:slab\n", "new(Leaf) //site:slab\n\tl.V = v\n")
	leaf := "func (p *parser) leaf(v int) *Leaf {\n" + write
	call := "p.leaf(v)"
	if r.IntN(3) == 0 {
		leaf, call = "func leaf(p *parser, v int) *Leaf {\n"+write, "leaf(p, v)"
	}
	leaf += "\tl := " + made + "\treturn l\n}\n"
	entry := pick(r,
		"\tp := &parser{}\n", "\tp := new(parser)\n", "\tvar p = &parser{big: 1}\n", "\tp := newParser(len(s))\n", "\tvar local parser\n\tp := &local\n", "\th := &holder{p: &parser{}}\n\tp := h.p\n")
	m.files["calc.go"] = "package calc\n\ntype base struct{ at int }\n\n// Leaf is a value.\ntype Leaf " + element + "\n\ntype parser struct{ at, big, visits int }\n\ntype holder struct{ p *parser }\n\n" +
		"func newParser(n int) *parser { return &parser{visits: n} }\n\nfunc (p *parser) step() { p.at++ }\n\n" +
		"// Parse makes values.\nfunc Parse(s string) (all []*Leaf) {\n" + entry + "\tfor _, r := range s {\n\t\tv := int(r)\n\t\tall = append(all, " + call + ")\n\t}\n\treturn all\n}\n\n" + leaf +
		"\nfunc use(p *parser, v int) func() int {\n\tl := " + call + "\n\treturn func() int { return l.V }\n}\n"
	m.check("sum := 0\nfor _, l := range calc.Parse(\"the quick brown fox jumps over the lazy dog\") {\n\tsum = sum*31%1000003 + l.V\n}\nfmt.Println(sum)\n")
	m.twisted(number, idle)
	return m
}

// ofScratch generates a module with an owner that collects values in slices.
func ofScratch(r *rand.Rand, number int) *module {
	m := newModule("scratch")
	declared := pick(r, "var out []int", "out := []int{}", "var out = []int(nil)")
	loop := pick(r,
		"\tfor _, x := range list {\n\t\tif x > 1 {\n\t\t\tout = append(out, x) //site:scratch\n\t\t}\n\t}\n",
		"\tfor i := 0; i < len(list); i++ {\n\t\tif list[i] < 0 {\n\t\t\tbreak\n\t\t}\n\t\tif list[i] > 1 {\n\t\t\tout = append(out, list[i]) //site:scratch\n\t\t}\n\t}\n",
		"\tfor _, x := range list {\n\t\tif x == 7 {\n\t\t\tp.big++\n\t\t\tcontinue\n\t\t}\n\t\tif x > 1 {\n\t\t\tout = append(out, x) //site:scratch\n\t\t}\n\t}\n")
	m.files["calc.go"] = "package calc\n\ntype parser struct{ at, big, visits int }\n\n// All collects lists.\nfunc All(lists ...[]int) (all [][]int) {\n\tp := &parser{}\n" +
		"\tfor _, list := range lists {\n\t\tall = append(all, p.collect(list))\n\t}\n\treturn all\n}\n\n" +
		"func (p *parser) collect(list []int) []int {\n\tp.visits++\n\t" + declared + "\n" + loop + "\treturn out\n}\n\n" +
		"func use(p *parser, n int) func() int {\n\tout := p.collect([]int{n, n + 2, n + 4})\n\treturn func() int {\n\t\tsum := 0\n\t\tfor _, x := range out {\n\t\t\tsum += x\n\t\t}\n\t\treturn sum\n\t}\n}\n"
	m.check("for _, list := range calc.All([]int{1, 5, 2}, nil, []int{9, 7, 3, -1, 4}, []int{0}) {\n\tfmt.Println(list, list == nil)\n}\n")
	m.twisted(number, false)
	return m
}

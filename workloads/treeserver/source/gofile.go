package source

import (
	"bytes"
	"fmt"
	"strings"
)

var (
	nouns = strings.Fields("item node value state cache result index entry config buffer total offset parent options message session request handler token field")
	verbs = strings.Fields("load find read write merge split check resolve update remove")
)

func title(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

func typeName(noun string, number int) string { return fmt.Sprintf("%s%d", title(noun), number) }

// A generator writes declarations, and keeps track of the indentation.
type generator struct {
	b      bytes.Buffer
	indent int
	state  uint64
	number int    // number in type names
	noun   string // noun in the receiver type of the next methods
}

// goFile returns a Go file with the given number of units, which are groups of declarations.
func goFile(file, units int, seed uint64) []byte {
	g := &generator{state: seed, number: file % 64}
	g.noun = g.word()
	g.line("// Package %s holds %ss for the %ss of a service. It is number %d.", g.word(), g.word(), g.word(), file)
	g.line("package %s%d", g.word(), file)
	g.line("")
	g.line("import (")
	for _, path := range []string{"context", "errors", "fmt", "sort", "strings", "sync", "time"} {
		if g.below(4) > 0 {
			g.line("%q", path)
		}
	}
	g.line("log %q", "example.com/service/"+g.word()+"/log")
	g.line(")")
	all := []func(){g.structure, g.constructor, g.finder, g.loop, g.switches, g.walk, g.table, g.generic, g.worker, g.constants, g.checks}
	g.structure()
	g.constructor()
	for range units {
		all[g.below(len(all))]()
	}
	return g.b.Bytes()
}

// below returns a number less than n.
func (g *generator) below(n int) int {
	g.state = g.state*6364136223846793005 + 1442695040888963407
	return int(g.state >> 33 % uint64(n))
}

// line writes a line, and its brackets determine the indentation of the next lines.
func (g *generator) line(format string, args ...any) {
	text := format
	if len(args) > 0 {
		text = fmt.Sprintf(format, args...)
	}
	if strings.HasPrefix(text, "}") || strings.HasPrefix(text, ")") {
		g.indent--
	}
	indent := g.indent
	if strings.HasPrefix(text, "case ") || text == "default:" {
		indent--
	}
	for range indent {
		g.b.WriteByte('\t')
	}
	g.b.WriteString(text)
	g.b.WriteByte('\n')
	if strings.HasSuffix(text, "{") || strings.HasSuffix(text, "(") {
		g.indent++
	}
}

func (g *generator) word() string { return nouns[g.below(len(nouns))] }

// call returns the name of a function or method.
func (g *generator) call() string { return verbs[g.below(len(verbs))] + title(g.word()) }

// kind returns the name of the receiver type of methods.
func (g *generator) kind() string { return typeName(g.noun, g.number) }

// expr returns an expression in the variables a and b.
func (g *generator) expr(a, b string, depth int) string {
	if depth == 0 {
		return []string{a, b, a + "." + g.word(), fmt.Sprint(1 + g.below(5000)), b + "[" + a + "]", fmt.Sprintf("%q", g.word())}[g.below(6)]
	}
	x, y := g.expr(a, b, depth-1), g.expr(b, a, depth-1)
	switch g.below(8) {
	case 0:
		return fmt.Sprintf("(%s) * (%s)", x, y)
	case 1:
		return fmt.Sprintf("%s.%s(%s, %s)", a, g.call(), x, y)
	case 2:
		return fmt.Sprintf("%s(%s, %s...)", g.call(), x, b)
	case 3:
		return fmt.Sprintf("fmt.Sprintf(%q, %s, %s)", "%v: "+g.word()+" %v", x, y)
	case 4:
		return fmt.Sprintf("%s + %s", x, y)
	case 5:
		return fmt.Sprintf("append(%s, %s)", b, x)
	case 6:
		return fmt.Sprintf("map[string]%s{%q: %s}[%q]", g.kind(), g.word(), x, g.word())
	default:
		return fmt.Sprintf("*%s.%s(&%s, func(%s int) int { return %s })", a, g.call(), b, a, y)
	}
}

func (g *generator) structure() {
	g.noun = g.word()
	g.line("")
	g.line("// %s holds a %s and its %ss. The zero %s is empty, and ready to use.", g.kind(), g.word(), g.word(), g.kind())
	g.line("type %s struct {", g.kind())
	g.line("mu sync.Mutex // guards what follows")
	for range 2 + g.below(6) {
		noun := g.word()
		switch g.below(4) {
		case 0:
			g.line("%s%d []*%s `json:\"%s,omitempty\"`", noun, g.below(9), typeName(g.word(), g.below(64)), noun)
		case 1:
			g.line("%s, %sSize int", noun, g.word())
		case 2:
			g.line("by%s map[string]%s // by the name of the %s", title(noun), typeName(g.word(), g.number), g.word())
		default:
			g.line("%sFunc func(ctx context.Context, %s string) (%s, error)", noun, g.word(), g.kind())
		}
	}
	g.line("}")
}

func (g *generator) constructor() {
	g.line("")
	g.line("// New%s returns a %s with room for so many %ss.", g.kind(), g.kind(), g.word())
	g.line("func New%s(size int, options *%s, log log.Logger) (*%s, error) {", g.kind(), typeName("options", g.number), g.kind())
	g.line("if options == nil {")
	g.line("options = &%s{limit: %d * 1024, %s: %q}", typeName("options", g.number), 1+g.below(64), g.word(), g.word())
	g.line("}")
	g.line("if size < 0 || size > options.limit {")
	g.line("return nil, fmt.Errorf(%q, size, options.limit)", "invalid size %d: must be from 0 to %d")
	g.line("}")
	g.line("t := &%s{%s: make([]int, size), %sSize: %s}", g.kind(), g.word(), g.word(), g.expr("size", "options", 1))
	if g.below(2) == 0 {
		g.line("log.Printf(%q, size, %s)", "made %d of %v", g.expr("t", "options", 1))
	}
	g.line("return t, nil")
	g.line("}")
}

func (g *generator) finder() {
	result, from := g.word(), g.call()
	g.line("")
	g.line("// %s returns the %s with that key. It fails if there is none.", title(from), result)
	g.line("func (t *%s) %s(ctx context.Context, key string, %s ...string) (*%s, error) {", g.kind(), title(from), g.word(), typeName(result, g.number))
	g.line("t.mu.Lock()")
	g.line("defer t.mu.Unlock()")
	g.line("if found, ok := t.by%s[key]; ok == true {", title(result))
	g.line("return found, nil")
	g.line("} else {")
	g.line("t.%s(%s)", g.call(), g.expr("key", "found", 2))
	g.line("}")
	if g.below(2) == 0 {
		g.line("if err := ctx.Err(); err != nil {")
		g.line("return nil, fmt.Errorf(\"%s %%q: %%w\", key, err)", from)
		g.line("}")
	}
	g.line("return nil, errors.New(%q + key)", "there is no "+result+" ")
	g.line("}")
}

func (g *generator) loop() {
	sum := g.word()
	g.line("")
	g.line("func %s%d(table [][]%s, width int) (%s int, err error) {", g.call(), g.number, g.kind(), sum)
	g.line("outer:")
	g.line("for i := 0; i < len(table); i++ {")
	g.line("row := table[i] // of %ss", g.word())
	g.line("for at, cell := range row {")
	g.line("if cell.%s == nil {", g.word())
	g.line("continue outer")
	g.line("}")
	g.line("%s += %s", sum, g.expr("at", "row", 2))
	g.line("cell.%s, cell.%s = %s, %s", g.word(), g.word(), g.expr("cell", "row", 1), g.expr("i", "cell", 1))
	g.line("}")
	g.line("for %s > width*(%d+i) {", sum, 1+g.below(100))
	g.line("%s -= %d", sum, 1+g.below(10))
	g.line("}")
	g.line("}")
	g.line("return %s, err", sum)
	g.line("}")
}

func (g *generator) switches() {
	g.line("")
	g.line("// %s says what a %s is.", title(g.call()), g.word())
	g.line("func (t *%s) %s%d(action any, depth int) string {", g.kind(), g.call(), g.below(100))
	g.line("switch a := action.(type) {")
	g.line("case nil:")
	g.line("return %q", "no "+g.word())
	for range 2 + g.below(4) {
		g.line("case *%s, %s:", typeName(g.word(), g.below(64)), typeName(g.word(), g.number))
		g.line("return a.String() + %s", g.expr("a", "t", 1))
	}
	g.line("default:")
	g.line("switch {")
	g.line("case %s > %d && depth != %d:", g.expr("a", "depth", 1), g.below(100), g.below(100))
	g.line("panic(%q)", "a "+g.word()+" is of no kind that is known")
	g.line("}")
	g.line("}")
	g.line("return strings.Repeat(\" \", depth)")
	g.line("}")
}

func (g *generator) walk() {
	of, f := g.word(), g.word()
	g.line("")
	g.line("// walk%s calls %s for each %s, until it returns false.", title(of), f, of)
	g.line("// The order is that of the %ss, and a change meanwhile is not seen.", g.word())
	g.line("func (t *%s) walk%s(%s func(int, %s) bool, last bool) bool {", g.kind(), title(of), f, typeName(of, g.number))
	g.line("if t == nil {")
	g.line("return true")
	g.line("} else if last == false {")
	g.line("return %s(0, %s{})", f, typeName(of, g.number))
	g.line("} else {")
	g.line("%s := %s", of, g.expr("t", f, 2))
	g.line("_ = %s", of)
	g.line("}")
	g.line("sort.Slice(t.%ss, func(i, j int) bool { return t.%ss[i].%s < t.%ss[j].%s })", of, of, g.word(), of, g.word())
	g.line("return t.left.walk%s(%s, last) && %s(t.%s, t.%s) && t.right.walk%s(%s, last)", title(of), f, f, g.word(), of, title(of), f)
	g.line("}")
}

func (g *generator) table() {
	g.line("")
	g.line("func Test%s%d(t *testing.T) {", title(g.call()), g.below(1000))
	g.line("for _, c := range []struct {")
	g.line("%s string", g.word())
	g.line("want []int")
	g.line("err error")
	g.line("}{")
	for range 3 + g.below(9) {
		g.line("{%q, []int{%d, %d, %d}, nil}, // %s", g.word()+" "+g.word(), g.below(1000), g.below(1000), g.below(10), g.word())
	}
	g.line("} {")
	g.line("got, err := %s(c.%s, len(c.want))", g.call(), g.word())
	g.line("if err != c.err || len(got) != len(c.want) {")
	g.line("t.Errorf(\"%%q: %%v (%%v), want %%v\", c, got, err, %s)", g.expr("c", "got", 1))
	g.line("}")
	g.line("}")
	g.line("}")
}

func (g *generator) generic() {
	name := g.call()
	g.line("")
	g.line("// %s%d is %s for keys of any type.", name, g.number, g.call())
	g.line("func %s%d[K comparable, V ~[]K | map[K]int](all V, key K, more ...func(K) bool) (best K, n int) {", name, g.number)
	g.line("best = %s", g.expr("key", "all", 2))
	g.line("for i := range %d {", 2+g.below(100))
	g.line("if more[i](best) {")
	g.line("return best, i")
	g.line("}")
	g.line("best = %s[K, V](%s)", g.call(), g.expr("best", "all", 1))
	g.line("}")
	g.line("return best, len(all[1:%d])", 2+g.below(100))
	g.line("}")
}

func (g *generator) worker() {
	g.line("")
	g.line("func (t *%s) %s(ctx context.Context, in <-chan %s, out chan<- error) {", g.kind(), g.call(), typeName(g.word(), g.number))
	g.line("tick := time.NewTicker(%d * time.Millisecond)", 1+g.below(500))
	g.line("defer tick.Stop()")
	g.line("go func() {")
	g.line("for %s := range in {", g.noun)
	g.line("t.%s(%s, %s)", g.call(), g.noun, g.expr(g.noun, "t", 2))
	g.line("}")
	g.line("}()")
	g.line("for {")
	g.line("select {")
	g.line("case <-ctx.Done():")
	g.line("return")
	g.line("case now := <-tick.C:")
	g.line("if now.After(t.%s) != false {", g.word())
	g.line("out <- t.%s(now.Add(-%d))", g.call(), 1+g.below(1000))
	g.line("}")
	g.line("}")
	g.line("}")
	g.line("}")
}

func (g *generator) constants() {
	g.line("")
	g.line("// Limits of a %s.", g.word())
	g.line("const (")
	for i := range 3 + g.below(6) {
		g.line("max%s%d = %d << %d // %ss", title(g.word()), i, 1+g.below(100), g.below(20), g.word())
	}
	g.line(")")
	g.line("")
	g.line("var default%s = %s{%s: []string{%q, %q}, limit: %d}", title(g.word()), g.kind(), g.word(), g.word(), g.word(), g.below(1000))
}

func (g *generator) checks() {
	a, b := g.word(), g.word()+"s"
	g.line("")
	g.line("func %s%d(%s int, %s []string, strict bool) (err error) {", g.call(), g.below(1000), a, b)
	g.line("defer func() {")
	g.line("if r := recover(); r != nil {")
	g.line("err = fmt.Errorf(%q, r)", "recovered: %v")
	g.line("}")
	g.line("}()")
	g.line("if %s != nil && len(%s) > %d {", b, b, 1+g.below(20))
	g.line("var found *%s = %s.(*%s)", g.kind(), g.expr(a, b, 1), g.kind())
	g.line("return found.%s(%s[:%d])", g.call(), b, 1+g.below(9))
	g.line("}")
	if g.below(3) > 0 {
		g.line("if strict {")
		g.line("return errors.New(%q)", "invalid "+a)
		g.line("} else {")
		g.line("%s++", a)
		g.line("}")
	}
	g.line("return nil")
	g.line("}")
}

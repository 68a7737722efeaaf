// Package source generates JavaScript that resembles handwritten code: classes, closures,
// destructuring, loops, template strings and constant expressions. The same depth always results in
// the same text.
package source

import (
	"fmt"
	"strings"
)

// GreatestDepth is the depth of about 12 MB of source.
const GreatestDepth = 14

// Module returns a module with 2^depth units of about 600 bytes.
func Module(depth int) []byte { return Units(1<<depth, 1) }

// Units returns a module with n units. Each seed results in a different module.
func Units(n int, seed uint64) []byte {
	g := &generator{state: seed}
	g.line("import { createHash, randomBytes as bytes } from 'crypto';")
	g.line("export const limits = { ttl: 60 * 60 * 24, size: 1024 * (4 + 12), name: 'lim' + 'its' };")
	units := []func(int){g.class, g.closure, g.loops, g.reducer, g.handler}
	for i := range n {
		units[g.below(len(units))](i)
	}
	return []byte(g.b.String())
}

// A generator writes units and keeps track of the indentation.
type generator struct {
	b      strings.Builder
	indent int
	state  uint64
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
	if strings.HasPrefix(text, "}") {
		g.indent--
	}
	for range g.indent {
		g.b.WriteString("  ")
	}
	g.b.WriteString(text)
	g.b.WriteByte('\n')
	if strings.HasSuffix(text, "{") {
		g.indent++
	}
}

var words = []string{"item", "node", "value", "state", "cache", "result", "index", "entry", "config", "buffer", "total", "offset", "parent", "options", "message"}

func (g *generator) word() string { return words[g.below(len(words))] }

// constant returns a constant expression.
func (g *generator) constant() string {
	switch g.below(5) {
	case 0:
		return fmt.Sprintf("%d * 60 * 1000", 1+g.below(90))
	case 1:
		return fmt.Sprintf("(%d + %d) * %d", g.below(100), g.below(100), 2+g.below(30))
	case 2:
		return fmt.Sprintf("'%s' + '-%s'", g.word(), g.word())
	case 3:
		return fmt.Sprintf("%d - %d", 500+g.below(500), g.below(500))
	default:
		return fmt.Sprint(g.below(10_000))
	}
}

// expr returns an expression in the variables a and b.
func (g *generator) expr(a, b string, depth int) string {
	if depth == 0 {
		return []string{a, b, a + "." + g.word(), g.constant(), b + "[" + a + "]"}[g.below(5)]
	}
	x, y := g.expr(a, b, depth-1), g.expr(b, a, depth-1)
	switch g.below(8) {
	case 0:
		return fmt.Sprintf("(%s) * (%s)", x, y)
	case 1:
		return fmt.Sprintf("%s.%s(%s, %s)", a, g.word(), x, y)
	case 2:
		return fmt.Sprintf("(%s > %s ? %s : %s)", a, b, x, y)
	case 3:
		return fmt.Sprintf("`${%s}: %s ${%s}`", x, g.word(), y)
	case 4:
		return fmt.Sprintf("(%s) + (%s)", x, y)
	case 5:
		return fmt.Sprintf("[%s, ...%s]", x, b)
	case 6:
		return fmt.Sprintf("({ %s, %s: %s }).%s", a, g.word(), x, g.word())
	default:
		return fmt.Sprintf("!(%s) && typeof %s === 'object'", x, b)
	}
}

func (g *generator) class(i int) {
	w := g.word()
	g.line("export class %s%d extends Base {", strings.ToUpper(w[:1])+w[1:], i)
	g.line("#%s = new Map();", w)
	g.line("static limit = %s;", g.constant())
	g.line("constructor(%s, { %s = %s, ...rest } = {}) {", "name", "size", g.constant())
	g.line("super(name, rest);")
	g.line("this.size = %s;", g.expr("size", "name", 1))
	g.line("}")
	g.line("get %s() {", g.word())
	g.line("return this.#%s.size + %s;", w, g.constant())
	g.line("}")
	g.line("async find(key, fallback = null) {")
	g.line("const found = this.#%s.get(key) ?? await fallback?.(key);", w)
	g.line("if (found === undefined || found.%s instanceof Error) {", g.word())
	g.line("throw new TypeError(`no ${key} in ${this.size} of ${%s}`);", g.expr("key", "found", 1))
	g.line("} else {")
	g.line("this.#%s.set(key, { found, key, at: %s });", w, g.expr("found", "key", 2))
	g.line("}")
	g.line("return found;")
	g.line("}")
	g.line("}")
}

func (g *generator) closure(i int) {
	a, b := g.word(), "list"
	g.line("function make%d(%s, %s, ...others) {", i, a, b)
	g.line("let count = %s, last;", g.constant())
	g.line("const seen = new Set(others), step = (x, y = count) => x + y * (%s);", g.constant())
	g.line("return function visit(next) {")
	g.line("count += step(next.length, %s);", g.expr(a, "next", 1))
	g.line("%s.forEach((one, at) => {", b)
	g.line("const { id, %s: { first: [head, , tail] = [] } = {} } = one;", g.word())
	g.line("if (!seen.has(id) && at %% 2 === 0) last = [head, tail, %s];", g.expr("one", "next", 2))
	g.line("});")
	g.line("return last ? visit(last) : { count, %s, done: () => count > %s };", a, g.constant())
	g.line("};")
	g.line("}")
}

func (g *generator) loops(i int) {
	g.line("export function scan%d(table, width = %s) {", i, g.constant())
	g.line("var sum = 0, rows = table.rows || [];")
	g.line("outer: for (let i = 0, n = rows.length; i < n; i++) {")
	g.line("const row = rows[i];")
	g.line("for (const cell of row) {")
	g.line("if (cell == null) continue outer;")
	g.line("sum += %s;", g.expr("cell", "row", 2))
	g.line("}")
	g.line("for (const key in row) {")
	g.line("row[key] = %s;", g.expr("key", "row", 1))
	g.line("}")
	g.line("while (sum > width * (%s)) {", g.constant())
	g.line("sum -= width--;")
	g.line("}")
	g.line("}")
	g.line("return sum;")
	g.line("}")
}

func (g *generator) reducer(i int) {
	g.line("export const reduce%d = (state = { items: [], total: %s }, action) => {", i, g.constant())
	g.line("switch (action.type) {")
	g.line("case 'add/' + '%s': {", g.word())
	g.line("const items = state.items.concat(action.%s);", g.word())
	g.line("return { ...state, items, total: %s };", g.expr("items", "state", 1))
	g.line("}")
	g.line("case 'drop': {")
	g.line("return { ...state, items: state.items.filter(item => item.id !== action.id && %s) };", g.expr("state", "action", 1))
	g.line("}")
	g.line("default: {")
	g.line("return state;")
	g.line("}")
	g.line("}")
	g.line("};")
}

func (g *generator) handler(i int) {
	g.line("app.on('event%d', async function (request, { %s, retries = %s }) {", i, g.word(), g.constant())
	g.line("try {")
	g.line("const [body, user] = await Promise.all([request.json(), lookup(request.headers['x-user'])]);")
	g.line("const reply = %s;", g.expr("body", "user", 3))
	g.line("await log(`${user.name} sent ${body.length} bytes\n  after ${%s} ms`);", g.expr("reply", "retries", 1))
	g.line("return { status: 200, reply, user: { ...user, %s: undefined } };", g.word())
	g.line("} catch (error) {")
	g.line("if (retries > 0) setTimeout(() => request.retry(error, retries - 1), %s);", g.constant())
	g.line("else throw error;")
	g.line("} finally {")
	g.line("request.close();")
	g.line("}")
	g.line("});")
}

package flatbegin

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// head writes the first part of the converter: the declarations before the methods for structs.
func (e *emitter) head() {
	root, method, view := "", "", ""
	if e.first != nil {
		root, method = "*"+e.source(e.root.Type()), "of"+e.first.name
	} else {
		root, method = e.source(e.root.Type()), "of"+e.sum.name
	}
	view = e.flat + ".Tree"
	e.b.WriteString(begun)
	e.p("// Package %s converts values of package %s to flat trees.\npackage %s\n", e.fromName(), e.pkg.Name, e.fromName())
	e.imported()
	e.p("// Tree converts one tree. To convert many trees, use one Converter, which reuses its memory.")
	e.p("func Tree(root %s) (%s, error) { return New().Tree(root) }\n", root, view)
	e.converterType()
	e.p("// Tree converts a tree. It does not change the values, and the flat tree shares only strings with")
	e.p("// them. It returns an error if a value %s, if a link refers", pick(e.o.Share, "is its own ancestor (two parents are allowed)", "has two parents or is its own ancestor"))
	e.p("// to a value that is not in the tree, or if the schema does not contain the type of a value. It")
	e.p("// recurses once for each level of the tree.")
	e.p("func (c *Converter) Tree(root %s) (%s, error) {\ndefer c.reset()\nto := c.%s(root, 0)", root, view, method)
	e.p("if err := c.b.Err(); err != nil {\nreturn %s{}, err\n}", view)
	e.p("if len(c.seen) > 0 {\nc.fail(c.twoParents())\n}")
	if len(e.pending) > 0 {
		e.p("if c.err == nil {\nc.setLinks()\n}")
	}
	e.p("if c.err != nil {\nc.b.Reset()\nreturn %s{}, c.err\n}\nreturn c.b.Finish(to)\n}\n", view)
	e.p("func (c *Converter) fail(err error) {\nif c.err == nil {\nc.err = err\n}\n}\n")
	e.p("// again records that two fields hold the same value, that one field holds it twice, or that it is\n// its own ancestor.\nfunc (c *Converter) again(by, first int, done bool, value any) {")
	e.p("c.pairs[[2]int{by, first}]++\nc.seen[repeat{by, value}]++\nif !done {\nc.seen[repeat{by, value}]++\n}\n}\n")
	if slices.ContainsFunc(e.records, func(r *record) bool {
		return slices.ContainsFunc(r.fields, func(f *field) bool { return f.bits > 0 })
	}) {
		e.p("%s", strings.ReplaceAll(fitText, "NAME", e.fromName()))
	}
	e.p("%s", strings.NewReplacer("NAME", e.fromName(), "OR", pick(e.o.Share, "", ", or with -share")).Replace(twoParentsText))
}

func pick(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

// imported writes the import declarations.
func (e *emitter) imported() {
	standard := []string{"fmt", "slices", "strings"}
	e.p("import (")
	for _, path := range standard {
		e.p("%q", path)
	}
	e.p("\n%q", flatPackage)
	e.p("%q", e.outPath+"/"+e.flat)
	var lines []string
	for pkg, name := range e.imports {
		lines = append(lines, pick(name == pkg.Name(), "", name+" ")+strconv.Quote(pkg.Path()))
	}
	slices.Sort(lines)
	e.p("\n%s\n)\n", strings.Join(lines, "\n"))
}

// converterType writes the declaration of the type Converter, and the method that resets a
// Converter.
func (e *emitter) converterType() {
	noted := map[string]string{}
	for _, r := range e.records {
		if e.noted(r) {
			noted["made"+r.name] = "map[*" + e.source(r.object.Type()) + "]made[" + e.flat + "." + r.name + "]"
		}
	}
	e.p("// A Converter converts trees, one after the other. Only one goroutine may use it at a time.\ntype Converter struct {")
	e.p("b *%s.Builder\nerr error\nheld [len(holders)]int // how many values each field holds\npairs map[[2]int]int // how many values two fields hold\nseen map[repeat]int", e.flat)
	for _, name := range slices.Sorted(maps.Keys(noted)) {
		e.p("%s %s", name, noted[name])
	}
	for _, s := range e.stacks {
		e.p("%s []%s", s.name, s.typ)
	}
	for _, f := range e.pending {
		e.p("links%s%s []%s", f.of.name, f.name, e.linkType(f))
	}
	e.p("}\n\n// New returns a Converter.\nfunc New() *Converter {\nreturn &Converter{\nb: %s.NewBuilder(flat.BuilderOptions{}),\npairs: map[[2]int]int{},\nseen: map[repeat]int{},", e.flat)
	for _, name := range slices.Sorted(maps.Keys(noted)) {
		e.p("%s: %s{},", name, noted[name])
	}
	e.p("}\n}\n\n// reset removes all values, but keeps the memory.\nfunc (c *Converter) reset() {\nc.err = nil\nclear(c.held[:])\nclear(c.pairs)\nclear(c.seen)")
	for _, name := range slices.Sorted(maps.Keys(noted)) {
		e.p("clear(c.%s)", name)
	}
	for _, s := range e.stacks {
		e.p("clear(c.%s[:cap(c.%s)])\nc.%s = c.%s[:0]", s.name, s.name, s.name, s.name)
	}
	for _, f := range e.pending {
		name := "c.links" + f.of.name + f.name
		e.p("clear(%s)\n%s = %s[:0]", name, name, name)
	}
	e.p("}\n\n%s", helperTypes)
	e.p("// holders are the fields that hold values.\nvar holders = [...]string{")
	for _, name := range e.holders {
		e.p("%q,", name)
	}
	e.p("}\n\n// marks are the lengths of the stacks of list items whose node has not been built yet.\ntype marks struct {")
	for _, s := range e.stacks {
		e.p("%s int", s.name)
	}
	e.p("}\n\nfunc (c *Converter) marks() (m marks) {")
	for _, s := range e.stacks {
		e.p("m.%s = len(c.%s)", s.name, s.name)
	}
	e.p("return m\n}\n\nfunc (c *Converter) back(m marks) {")
	for _, s := range e.stacks {
		e.p("c.%s = c.%s[:m.%s]", s.name, s.name, s.name)
	}
	e.p("}\n")
}

const flatPackage = "github.com/coppice-go/coppice/flat"

const helperTypes = `// made contains the node that was made from a value.
type made[V any] struct {
	to   V
	by   int  // the field that holds the value
	done bool // false while it is converted; then none of its descendants may refer to it
}

// A link is a reference that is set after all values have been converted.
type link[A, T any] struct {
	at A
	i  int // index in a list
	to T
}

// A repeat is a field that refers to a value that another field holds.
type repeat struct {
	by    int
	value any
}
`

// twoParentsText is the part of the converter that reports values with two parents, and suggests
// which fields should become links. If a field refers to the same value twice, it suggests this
// field. If two fields refer to the same value, it suggests the field that refers to fewer values.
const twoParentsText = `// twoParents returns the error for values with two parents. It lists the fields that could be links.
func (c *Converter) twoParents() error {
	often, total, values := map[int]bool{}, c.held, 0
	for r, n := range c.seen {
		often[r.by] = often[r.by] || n > 1
	}
	for two, n := range c.pairs {
		total[two[0]] += n
		values += n
	}
	var links []string
	for two := range c.pairs {
		less := two[0]
		if two[1] != 0 && !often[two[0]] && two[0] != two[1] && (often[two[1]] || total[two[1]] < total[two[0]]) {
			less = two[1]
		}
		if !slices.Contains(links, holders[less]) {
			links = append(links, holders[less])
		}
	}
	slices.Sort(links)
	return fmt.Errorf("NAME: %d values have two parents or are part of a cycle; run coppice flat begin with -again and -link %sOR", values, strings.Join(links, ","))
}
`

// fitText is the part of the converter that checks numbers in fields whose size in bits is limited.
// Without this check, the Builder would panic if a number does not fit.
const fitText = `// fit returns v. If v does not fit in that many bits, fit returns 0, and the conversion fails.
func fit[T ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64](c *Converter, v T, bits int, field string) T {
	least, most := T(0), T(1)<<bits-1
	if T(0)-1 < 0 {
		least = -(T(1) << (bits - 1))
		most = ^least
	}
	if v < least || v > most {
		c.fail(fmt.Errorf("NAME: %d at %s does not fit in %d bits; run coppice flat begin with -again and more bits", v, field, bits))
		return 0
	}
	return v
}
`

// lookup writes two functions for a field that is a map: one finds an entry, and the other creates
// a Go map of all entries.
func (e *emitter) lookup(f *field) {
	entry, value := f.shape.of, f.shape.of.fields[1]
	name, in, one := f.of.name+f.name, e.flat+"."+f.of.name, f.accessor()
	result, found, none := e.flat+"."+entry.name, "", ", false"
	if value.shape.kind == pointing || value.shape.kind == union {
		result, found, none = e.param(value.shape), ".Value()", ""
	}
	e.p("\n// %s returns the value of a key in %s%s, by binary search.", name, f.full, pick(none == "", ", or nil", ""))
	if none == "" {
		e.p("func %s(in %s, key %s) (none %s) {", name, in, entry.fields[0].shape.basic, result)
	} else {
		e.p("func %s(in %s, key %s) (none %s, ok bool) {", name, in, entry.fields[0].shape.basic, result)
	}
	e.p("low, high := 0, in.Num%s()\nfor low < high {\nmiddle := int(uint(low+high) / 2)", f.name)
	e.p("if in.%s(middle).Key() < key {\nlow = middle + 1\n} else {\nhigh = middle\n}\n}", one)
	e.p("if low < in.Num%s() {\nif e := in.%s(low); e.Key() == key {\nreturn e%s%s\n}\n}\nreturn none%s\n}", f.name, one, found, pick(none == "", "", ", true"), none)
	if none != "" {
		return
	}
	e.p("\n// %sIndex returns a map of %s, for look-ups in hot code. Its handles keep the tree alive.", name, f.full)
	e.p("func %sIndex(in %s) map[%s]%s {\nall := make(map[%s]%s, in.Num%s())", name, in, entry.fields[0].shape.basic, result, entry.fields[0].shape.basic, result, f.name)
	e.p("for e := range in.%s {\nall[e.Key()] = e.Value()\n}\nreturn all\n}", f.name)
}

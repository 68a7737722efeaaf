package flatbegin

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// hottest is the number of functions for which the report contains source that is rewritten to use
// views.
const hottest = 2

// These are the maximum numbers of functions, of fields for each function, and of positions that
// the report lists.
const (
	mostFunctions = 12
	mostFields    = 8
	mostPlaces    = 30
)

// report returns the report of the remaining work, in Markdown.
func (p *plan) report() ([]byte, error) {
	all := p.readers()
	var b bytes.Buffer
	fmt.Fprintf(&b, "<!-- %s -->\n\n# What remains, for flat trees of %s.%s\n\n", strings.TrimSpace(begun[3:]), p.pkg.Name, p.root.Name())
	fmt.Fprintf(&b, "    coppice flat begin %s\n\n", p.o.command())
	p.switchOver(&b)
	p.reportLeft(&b)
	p.reportLinks(&b)
	p.reportSums(&b)
	p.reportReaders(&b, all)
	shown := 0
	for _, r := range all {
		if shown == hottest || len(r.writes) > 0 || len(r.reads) == 0 || p.profile != nil && r.share == 0 {
			continue // functions that write run before the conversion
		}
		shown++
		if err := p.reportViews(&b, r); err != nil {
			return nil, err
		}
	}
	p.reportWriters(&b, all)
	p.reportFields(&b)
	return b.Bytes(), nil
}

// command returns the arguments with which coppice flat begin writes the same files again.
func (o *Options) command() string {
	words := []string{"-type", o.Type, "-out", filepath.ToSlash(o.Out)}
	if len(o.Link) > 0 {
		words = append(words, "-link", strings.Join(o.Link, ","))
	}
	if len(o.Leave) > 0 {
		words = append(words, "-leave", strings.Join(o.Leave, ","))
	}
	if len(o.Bits) > 0 {
		words = append(words, "-bits", strings.Join(o.Bits, ","))
	}
	if o.Share {
		words = append(words, "-share")
	}
	return strings.Join(append(words, o.Package), " ")
}

// switchOver writes the section that shows where a program can change from pointers to views.
func (p *plan) switchOver(b *bytes.Buffer) {
	fmt.Fprintf(b, "## Where a tree is complete\n\n```go\ntree, err := %s.Tree(root) // root is %s, which is not needed any more\n", p.fromName(), p.rootType())
	fmt.Fprintf(b, "n := tree.Root()\n_, err = tree.WriteTo(file) // %sflat.Open reads it\n```\n\n", p.name)
	fmt.Fprintf(b, "To convert many trees, use one `%s.New()`. It reuses its memory, so lists and nodes cost no allocations.\n\n", p.fromName())
}

func (p *plan) reportLeft(b *bytes.Buffer) {
	if len(p.left) == 0 {
		return
	}
	b.WriteString("## What is left out\n\nKeep it beside the tree, where it is needed: in a side table, or in the program.\n\n")
	for _, l := range p.left {
		fmt.Fprintf(b, "- `%s`: %s\n", l.Field, l.Why)
	}
	b.WriteString("\n")
}

func (p *plan) reportLinks(b *bytes.Buffer) {
	var names []string
	for _, r := range p.records {
		for _, f := range r.fields {
			if f.link {
				names = append(names, "`"+f.full+"`")
			}
		}
	}
	if len(names) > 0 {
		fmt.Fprintf(b, "## Links\n\nThese lead to values that other fields hold: %s. A value that no field holds is an error of the converter.\n\n", strings.Join(names, ", "))
	}
	if p.o.Share {
		b.WriteString("A value may have several parents: walks that do not remember where they were visit it once for each.\n\n")
	} else {
		b.WriteString("Each other value has one parent. The converter refuses those with two, and names the fields that should be links.\n\n")
	}
}

func (p *plan) reportSums(b *bytes.Buffer) {
	if len(p.sums) == 0 {
		return
	}
	b.WriteString("## Interfaces\n\nDecide whether these are all that an interface has; the converter refuses others.\n\n")
	for _, u := range p.sums {
		var names []string
		for _, v := range u.variants {
			names = append(names, v.object.Name())
		}
		fmt.Fprintf(b, "- `%s`: %s", u.object.Name(), strings.Join(names, ", "))
		if len(u.hidden) > 0 {
			fmt.Fprintf(b, "; not %s, which is not an exported struct of these modules", strings.Join(u.hidden, ", "))
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
}

// reportReaders writes the list of functions that read the trees.
func (p *plan) reportReaders(b *bytes.Buffer, all []*reader) {
	reads := slices.DeleteFunc(slices.Clone(all), func(r *reader) bool { return len(r.reads) == 0 })
	if len(reads) == 0 {
		b.WriteString("## What reads the trees\n\nNo inspected function reads a field.\n\n")
		return
	}
	fmt.Fprintf(b, "## What reads the trees\n\n%d functions", len(reads))
	if p.o.Profile == "" {
		b.WriteString(", those of this module and with the most places first; -profile puts those first that take the most time")
	}
	b.WriteString(".\n\n| function | of the profile | fields |\n| --- | ---: | --- |\n")
	for _, r := range reads[:min(mostFunctions, len(reads))] {
		fields := slices.SortedFunc(maps.Keys(r.reads), func(x, y *field) int {
			return cmp.Or(cmp.Compare(r.reads[y], r.reads[x]), cmp.Compare(x.full, y.full))
		})
		var names []string
		for _, f := range fields[:min(mostFields, len(fields))] {
			names = append(names, fmt.Sprintf("%s %d", f.full, r.reads[f]))
		}
		if more := len(fields) - mostFields; more > 0 {
			names = append(names, fmt.Sprintf("%d more", more))
		}
		share := "?"
		if p.o.Profile != "" {
			share = fmt.Sprintf("%.1f %%", 100*r.share)
		}
		fmt.Fprintf(b, "| `%s` %s | %s | %s |\n", r.name, formatPos(r.pkg, r.decl.Pos()), share, strings.Join(names, ", "))
	}
	if more := len(reads) - mostFunctions; more > 0 {
		fmt.Fprintf(b, "\n%d more.\n", more)
	}
	b.WriteString("\n")
}

// reportViews writes the source of one of the hottest functions, rewritten to use views.
func (p *plan) reportViews(b *bytes.Buffer, r *reader) error {
	text, notes, err := p.byViews(r)
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "## %s, by views\n\nNot compiled: a beginning.", r.name)
	if r.other > 0 {
		b.WriteString(" It belongs to another module: copy it, and write the package before its names.")
	}
	fmt.Fprintf(b, "\n\n```go\n%s\n```\n\n", text)
	if len(notes) > 0 {
		b.WriteString("By hand:\n\n")
		for _, n := range notes {
			fmt.Fprintf(b, "- %s\n", n)
		}
		b.WriteString("\n")
	}
	return nil
}

// reportWriters writes the list of positions at which the code creates nodes or writes fields.
func (p *plan) reportWriters(b *bytes.Buffer, all []*reader) {
	var places []string
	for _, r := range all {
		for _, pos := range r.writes {
			if place := formatPos(r.pkg, pos); !slices.Contains(places, place) {
				places = append(places, place)
			}
		}
	}
	if len(places) == 0 {
		return
	}
	slices.Sort(places)
	more := ""
	if len(places) > mostPlaces {
		more = fmt.Sprintf(", and %d more", len(places)-mostPlaces)
		places = places[:mostPlaces]
	}
	fmt.Fprintf(b, "## What makes nodes or writes to them\n\nThese must come before the conversion: %s%s.\n\n", strings.Join(places, ", "), more)
}

// reportFields writes a table that shows how each field of a flat tree is read.
func (p *plan) reportFields(b *bytes.Buffer) {
	b.WriteString("## How fields are read\n\nA look-up by key is a binary search, and takes longer than one in a map: in hot code, keep the map that the function whose name ends with Index returns.\n\n| field | by a view x |\n| --- | --- |\n")
	for _, r := range p.records {
		if r.object == nil || r.model == nil {
			continue
		}
		for _, f := range r.fields {
			fmt.Fprintf(b, "| `%s` | %s |\n", f.full, f.reading(p))
		}
	}
}

// reading returns an example of the code that reads a field of a flat tree.
func (f *field) reading(p *plan) string {
	switch s := f.shape; s.kind {
	case optional:
		return fmt.Sprintf("`v, ok := x.%s()`", f.name)
	case list, array, rows:
		return fmt.Sprintf("`for v := range x.%s`, `x.%s(i)`", f.name, f.accessor())
	case table:
		return fmt.Sprintf("`%s.%s%s(x, key)`, `for e := range x.%s`", p.fromName(), f.of.name, f.name, f.name)
	case blob:
		return fmt.Sprintf("`x.%s()`, a string", f.name)
	default:
		return fmt.Sprintf("`x.%s()`", f.name)
	}
}

package prove

import (
	"fmt"
	"slices"
	"strings"
)

// A Param is a name and its values. {name} in a command stands for one of them.
type Param struct {
	Name   string
	Values []string
}

// Unused returns a parameter that occurs in no command, no name of an input file and no
// preparation; ok is false if all are used.
func (o *Options) Unused() (name string, ok bool) {
	texts := append(slices.Concat(o.Commands...), o.Stdin)
	texts = append(texts, o.Around.Prepare...)
	for _, p := range o.Params {
		if !slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, "{"+p.Name+"}") }) {
			return p.Name, true
		}
	}
	return "", false
}

// A variant is the commands with one value of each parameter.
type variant struct {
	name   string // of the subject
	values *strings.Replacer
}

// variants returns all combinations of values. The values of the last parameter change fastest.
func (o *Options) variants() []variant {
	type chosen struct{ names, pairs []string }
	all := []chosen{{}}
	for _, p := range o.Params {
		var longer []chosen
		for _, c := range all {
			for _, v := range p.Values {
				longer = append(longer, chosen{append(slices.Clip(c.names), p.Name+"="+v), append(slices.Clip(c.pairs), "{"+p.Name+"}", v)})
			}
		}
		all = longer
	}
	variants := make([]variant, 0, len(all))
	for _, c := range all {
		name := commandSubject
		if len(c.names) > 0 {
			name = fmt.Sprintf("%s, %s", commandSubject, strings.Join(c.names, ", "))
		}
		variants = append(variants, variant{name, strings.NewReplacer(c.pairs...)})
	}
	return variants
}

// args returns the arguments of a command, with its parameters replaced.
func (v variant) args(command []string) []string {
	args := make([]string, 0, len(command))
	for _, a := range command {
		args = append(args, v.values.Replace(a))
	}
	return args
}

// Stdins returns the names of the files that the commands read as their standard input. Without
// -stdin there are none.
func (o *Options) Stdins() (names []string) {
	for _, v := range o.variants() {
		if name := v.values.Replace(o.Stdin); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

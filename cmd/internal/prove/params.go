package prove

import (
	"fmt"
	"slices"
	"strings"
)

// A Param is a parameter of the commands. Each {name} in a command is replaced with one of the
// values.
type Param struct {
	Name   string
	Values []string
}

// Unused returns the name of a parameter that occurs in no command, input file name or preparation
// line. ok is false if all parameters are used.
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

// A variant is a combination of parameter values, one for each parameter.
type variant struct {
	name   string // name of the subject
	values *strings.Replacer
}

// variants returns all combinations of parameter values. The last parameter changes fastest.
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

// args returns the arguments of a command, with the parameters replaced with their values.
func (v variant) args(command []string) []string {
	args := make([]string, 0, len(command))
	for _, a := range command {
		args = append(args, v.values.Replace(a))
	}
	return args
}

// Stdins returns the names of the files that the commands read as their standard input. The result
// is empty without -stdin.
func (o *Options) Stdins() (names []string) {
	for _, v := range o.variants() {
		if name := v.values.Replace(o.Stdin); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

package golang

import (
	"maps"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/flatgen/schema"

	"github.com/coppice-go/coppice/internal/flatlayout"
)

// FromTree must convert the items of a list before it can add the record that contains the list. It
// pushes the converted items onto a stack, and pops them when the record is complete. There is one
// stack for each item type. Lists therefore need no separate allocations; FromTree allocates only
// when a stack grows.

// listStack returns the name of the stack for the items of a list. It returns "" if the Builder
// accepts the list without conversion.
func listStack(t *schema.Type) string {
	if t.Base != flatlayout.Slice || t.WritesAsIs() {
		return ""
	}
	return strings.NewReplacer("[", "", "]", "x").Replace(t.Elem.Write())
}

// listStacks returns the stacks that the lists of a struct need, including lists of structs nested
// in it. It maps the names of the stacks to their item types.
func (e *emitter) listStacks(s *schema.Struct) map[string]string {
	all := map[string]string{}
	for _, f := range s.Fields {
		if name := listStack(f.Type); name != "" {
			all[name] = f.Type.Elem.Write()
		}
		t := f.Type.InnermostValue()
		i := slices.IndexFunc(e.Structs, func(in *schema.Struct) bool { return in.Name == t.Name })
		if t.Base == flatlayout.Inline && i >= 0 {
			maps.Copy(all, e.listStacks(e.Structs[i]))
		}
	}
	return all
}

// declareStacks writes the struct fields for all stacks.
func (e *emitter) declareStacks() (fields string) {
	all := map[string]string{}
	for _, s := range e.Records[1:] {
		maps.Copy(all, e.listStacks(s))
	}
	if len(all) == 0 {
		return ""
	}
	fields = "// Items of lists whose records have not been written yet.\n"
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fields += "of" + name + " []" + all[name] + "\n"
	}
	return fields
}

// markStacks writes the statements that save the current height of each stack, which is where a
// record's lists begin. cutStacks writes the statements that pop these lists.
func (e *emitter) markStacks(stacks []string) {
	for _, name := range stacks {
		e.p("first%[1]s := len(c.of%[1]s)", name)
	}
}

func (e *emitter) cutStacks(stacks []string) {
	for _, name := range stacks {
		e.p("c.of%[1]s = c.of%[1]s[:first%[1]s]", name)
	}
}

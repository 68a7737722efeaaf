package intern

import (
	"fmt"

	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
)

// text returns the source of an owner's lookup method.
func text(owner string) string {
	return fmt.Sprintf(source, owner, method, longest, field, mostStrings, "")
}

// source is the format of the method. Its arguments are the owner's type, the method's name, the
// maximum length of a string, the field, the maximum number of strings, and the statements that the
// witness form runs first.
const source = `
// %[2]s returns b as a string. If the table contains an equal string, that string is returned.
// The table has no more than %[5]d strings.
func (o *%[1]s) %[2]s(b []byte) string {
%[6]s	if len(b) > %[3]d {
		return string(b)
	}
	if s, ok := o.%[4]s[string(b)]; ok { // the compiler copies nothing here
		return s
	}
	s := string(b)
	if o.%[4]s == nil {
		o.%[4]s = map[string]string{}
	}
	if len(o.%[4]s) < %[5]d {
		o.%[4]s[s] = s
	}
	return s
}
`

// declare adds the table and the lookup method to the owner.
func (t *table) declare(c *change.Change) {
	name, fset := t.named.Obj().Name(), t.Package.Fset
	line := fmt.Sprintf("\n\t%s map[string]string // strings made so far, so that equal strings share one copy\n", field)
	c.Edits.InsertOnceBoth(fset, t.fields.Closing, line, line+"\t"+watched+" coppiceWitness\n")
	watch := fmt.Sprintf("\tcoppiceWitnessHas(o != nil, %[1]q)\n\to.%[2]s.is(%[1]q)\n\to.%[2]s.enter()\n\tdefer o.%[2]s.leave()\n", name, watched)
	c.Edits.InsertOnceBoth(fset, t.file.FileEnd, text(name), fmt.Sprintf(source, name, method, longest, field, mostStrings, watch))
}

// use replaces the conversion with a lookup.
func (t *table) use(c *change.Change) {
	arg := t.call.Args[0]
	c.Edits.Replace(t.Package.Fset, t.call.Pos(), arg.Pos(), t.owner.Name()+"."+method+"(")
	c.Edits.Replace(t.Package.Fset, arg.End(), t.call.End(), ")")
}

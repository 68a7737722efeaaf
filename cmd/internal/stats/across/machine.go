package across

import (
	"cmp"
	"strings"
)

// KindOf returns the kind of a machine, which consists of the processor and the number of cores in
// its environment. Machines of one kind are grouped, because their ratios are more alike than the
// ratios of machines of different kinds.
func KindOf(values map[string]string) string {
	text := cmp.Or(values["cpu"], "unknown processor")
	if cores := values["cores"]; cores != "" {
		text += ", " + cores + " cores"
	}
	return text
}

// Guessed returns a name for a machine whose environment has neither a host nor a node. Two
// machines with the same hardware get the same name and are treated as one. That error is on the
// safe side: fewer machines result in a wider interval.
func Guessed(values map[string]string) string {
	return strings.TrimSuffix(KindOf(values)+", "+values["memory"], ", ")
}

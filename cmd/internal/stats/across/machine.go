package across

import (
	"cmp"
	"strings"
)

// KindOf returns the kind of a machine, from its environment.
func KindOf(values map[string]string) string {
	text := cmp.Or(values["cpu"], "unknown processor")
	if cores := values["cores"]; cores != "" {
		text += ", " + cores + " cores"
	}
	return text
}

// Guessed names a machine whose environment says no more than what it is.
func Guessed(values map[string]string) string {
	return strings.TrimSuffix(KindOf(values)+", "+values["memory"], ", ")
}

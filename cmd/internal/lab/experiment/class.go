package experiment

// Classes state what contenders may do with the tree that they build, from the strictest class to
// the most permissive. The class is judged by the program's text, not by the compiled code, so that
// a reader can check it; docs/decisions/0036 gives the reasons.
//
//   - plain: each node is allocated individually, and building and walking use textbook
//     recursion, with one call for each node.
//   - shaped: each node is allocated individually and reached by a link, but the recursion is
//     unrolled by hand.
//   - open: anything that builds the tree and traverses it.
var Classes = []string{"plain", "shaped", "open"}

// ClassNames lists the classes for a sentence.
const ClassNames = "plain, shaped or open"

// current translates the class of an older declaration or run, in which per-node meant both plain
// and shaped. Without a class it is open.
func current(class string) string {
	switch class {
	case "":
		return "open"
	case "per-node":
		return "plain"
	}
	return class
}

// ClassOf returns the class of a ranked contender. The current declaration decides. Only if the
// contender is no longer declared does the class come from its runs.
func (e Experiment) ClassOf(name, recorded string) string {
	if c, ok := e.Declared(name); ok && c.Class != "" {
		return c.Class
	}
	return current(recorded)
}

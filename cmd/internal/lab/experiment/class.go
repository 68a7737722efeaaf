package experiment

// Classes are what contenders may do to the tree that they build, in the order of what they allow.
// The class is judged by the program's text and not by the compiled code, so that a reader can
// check it; docs/decisions/0036 says why.
//
//   - plain: each node is allocated individually, and building and walking use the recursion of a
//     textbook, with a call for each node.
//   - shaped: each node is allocated individually and reached by a link, but the recursion is
//     unrolled by hand.
//   - open: anything that builds the tree and walks it.
var Classes = []string{"plain", "shaped", "open"}

// ClassNames lists them in a sentence.
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

// ClassOf returns the class of a ranked contender. The present declaration decides. Only if the
// contender is no longer declared does the class come from its runs.
func (e Experiment) ClassOf(name, recorded string) string {
	if c, ok := e.Declared(name); ok && c.Class != "" {
		return c.Class
	}
	return current(recorded)
}

package experiment

// Classes lists the classes of contenders, from the strictest to the most permissive. A class
// states how a contender may build and traverse its tree. It is judged by the source of the
// program, not by the compiled code, so that a reader can check it; docs/decisions/0036 gives the
// reasons.
//
//   - plain: each node is allocated individually, and building and walking use textbook recursion,
//     with one call per node.
//   - shaped: each node is allocated individually and reached through a pointer or index, but the
//     recursion is unrolled by hand.
//   - open: the tree may be built and traversed in any way.
var Classes = []string{"plain", "shaped", "open"}

// ClassNames lists the classes for use in a sentence.
const ClassNames = "plain, shaped or open"

// current returns the current name of a class. In older declarations and runs, per-node meant both
// plain and shaped; current returns plain for it. A missing class is open.
func current(class string) string {
	switch class {
	case "":
		return "open"
	case "per-node":
		return "plain"
	}
	return class
}

// ClassOf returns the class of a ranked contender, as it is currently declared. If the contender
// has since been removed from the declaration, ClassOf uses the class that was recorded with its
// runs.
func (e Experiment) ClassOf(name, recorded string) string {
	if c, ok := e.Declared(name); ok && c.Class != "" {
		return c.Class
	}
	return current(recorded)
}

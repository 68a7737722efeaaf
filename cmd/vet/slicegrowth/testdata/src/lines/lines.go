// Package lines has //line directives, as generators write them. Findings have no fix: the generator would undo it.
package lines

//line grammar.y:10
func noColumn(in []int) []string {
	var out []string // want `append grows out`
	for range in {
		out = append(out, "x")
	}
	return out
}

//line grammar.y:30:7
func column(in []int) []string {
	var out []string // want `append grows out`
	for range in {
		out = append(out, "x")
	}
	return out
}

func inTheLine(in []int) []string {
	/*line grammar.y:40*/ var out []string // want `append grows out`
	for range in {
		out = append(out, "x")
	}
	return out
}

package flat

// maxRecursion is the most levels that a conversion between pointers and words recurses into, whatever
// the limits say: more could use up the stack, which ends the program.
const maxRecursion = 1_000_000

// A Converter counts levels and nodes while a generated package converts a tree. For generated packages.
type Converter struct {
	limits LoadLimits
	nodes  int
	err    error
}

// NewConverter returns a Converter with those limits. For generated packages.
func NewConverter(limits LoadLimits) *Converter {
	return &Converter{limits: limits.withDefaults("flat.NewConverter")}
}

// Enter counts a node at that depth, and tells whether the conversion may go on. For generated packages.
func (c *Converter) Enter(depth int) bool {
	c.nodes++
	switch {
	case c.err != nil:
		return false
	case depth > min(c.limits.MaxDepth, maxRecursion):
		c.err = beyond("more than %d levels", min(c.limits.MaxDepth, maxRecursion))
	case c.nodes > c.limits.MaxNodes:
		c.err = beyond("more than LoadLimits.MaxNodes, %d", c.limits.MaxNodes)
	}
	return c.err == nil
}

// Unknown notes a variant that the generated package does not know. For generated packages.
func (c *Converter) Unknown(x any) {
	if c.err == nil {
		c.err = invalid("a %T, which the generated package does not know; run coppice flat again", x)
	}
}

// Err returns what went wrong first. For generated packages.
func (c *Converter) Err() error { return c.err }

// BytesOf returns a copy of a string's bytes, nil for the empty one. For generated packages.
func BytesOf(s string) []byte {
	if s == "" {
		return nil
	}
	return []byte(s)
}

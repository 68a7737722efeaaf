package flat

// maxRecursion is the most levels that a conversion between pointers and words recurses into, whatever
// the limits say: more could use up the stack, which ends the program.
const maxRecursion = 1_000_000

// A Converter counts levels and nodes while a generated package converts a tree. For generated packages.
type Converter struct {
	limits LoadLimits
	nodes  int
	bytes  int64 // that may still be copied
	err    error
}

// NewConverter returns a Converter with those limits. For generated packages.
func NewConverter(limits LoadLimits) *Converter {
	return &Converter{limits: limits.withDefaults("flat.NewConverter")}
}

// Copies of bytes are for a tree that mentions a string once; a file of a megabyte could mention one of half a megabyte a
// hundred thousand times.
const (
	defaultCopies = 16 << 20
	copiesPerByte = 16
)

// NewToConverter returns a Converter of ToTree, which copies at most LoadLimits.MaxBytes of bytes, by default 16 MiB and
// 16 for each byte of the tree. For generated packages.
func NewToConverter(t *Tree, limits LoadLimits) *Converter {
	c := NewConverter(limits)
	if c.bytes = limits.MaxBytes; c.bytes == 0 {
		c.bytes = defaultCopies + copiesPerByte*t.NumBytes()
	}
	return c
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
func (c *Converter) BytesOf(s string) []byte {
	if c.bytes -= int64(len(s)); c.bytes < 0 && c.err == nil {
		c.err = beyond("strings that are mentioned many times are too many bytes; LoadLimits.MaxBytes may allow more")
	}
	if s == "" || c.err != nil {
		return nil
	}
	return []byte(s)
}

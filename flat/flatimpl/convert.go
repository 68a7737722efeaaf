package flatimpl

// maxRecursion is the maximum recursion depth of conversions, even if LoadLimits allow more levels.
// Deeper recursion could exhaust the stack, which would end the program.
const maxRecursion = 1_000_000

// A Converter holds the state of a conversion between pointers and a flat tree. It counts the
// levels, nodes and bytes, and stores the first error.
type Converter struct {
	limits LoadLimits
	nodes  int
	bytes  int64 // number of bytes that may still be copied
	err    error
}

// NewConverter returns a Converter with the given limits.
func NewConverter(limits LoadLimits) *Converter {
	return &Converter{limits: limits.withDefaults("flatimpl.NewConverter")}
}

// These constants determine the default limit for copied bytes. It assumes that []byte values are
// rarely shared. Without a limit, a file of one megabyte could refer a hundred thousand times to
// the same string of half a megabyte, and each reference would become a copy.
const (
	defaultCopies = 16 << 20
	copiesPerByte = 16
)

// NewToConverter returns a Converter for ToTree, which copies at most LoadLimits.MaxBytes bytes of
// []byte fields. The default is 16 MiB plus 16 bytes for each byte of the tree.
func NewToConverter(t *Tree, limits LoadLimits) *Converter {
	t.checkFreed(t.tables.schema.name + ".ToTree")
	c := NewConverter(limits)
	if c.bytes = limits.MaxBytes; c.bytes == 0 {
		c.bytes = defaultCopies + copiesPerByte*t.NumBytes()
	}
	return c
}

// Enter counts a node at the given depth. It returns false if the conversion must stop, because of
// a limit or an earlier error.
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

// Items appends n zero items to a stack and returns them. The returned items stay valid when the
// stack grows again.
func Items[T any](stack *[]T, n int) []T {
	at := len(*stack)
	*stack = append(*stack, make([]T, n)...)
	return (*stack)[at : at+n : at+n]
}

// Unknown records the error that x is a variant that the generated package does not know.
func (c *Converter) Unknown(x any) {
	if c.err == nil {
		c.err = invalid("a %T, which is not in the schema of the generated package; run coppice flat again", x)
	}
}

// NoLink records the error that the target of a link is ambiguous, because the target is stored by
// value.
func (c *Converter) NoLink(x any) {
	if c.err == nil {
		c.err = invalid("a link to a %T, which has no identity; use a pointer", x)
	}
}

// Err returns the first error of the conversion.
func (c *Converter) Err() error { return c.err }

// BytesOf returns a copy of the string's bytes. It returns nil for the empty string.
func (c *Converter) BytesOf(s string) []byte {
	if c.bytes -= int64(len(s)); c.bytes < 0 && c.err == nil {
		c.err = beyond("strings that are mentioned many times are too many bytes; LoadLimits.MaxBytes may allow more")
	}
	if s == "" || c.err != nil {
		return nil
	}
	return []byte(s)
}

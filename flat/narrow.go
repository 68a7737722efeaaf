package flat

// Uint24 is the type of a 24-bit unsigned field in a schema, such as a position in a source file. A
// record with one such field is a single word, which also contains the kind. Values above
// [MaxUint24] cannot be stored in a tree: Builders and setters panic, and FromTree returns an error
// that wraps [ErrRange].
type Uint24 uint32

// Int24 is like Uint24, but signed. Its values range from [MinInt24] to [MaxInt24].
type Int24 int32

// Limits of Uint24 and Int24.
const (
	MaxUint24 = 1<<24 - 1
	MaxInt24  = 1<<23 - 1
	MinInt24  = -1 << 23
)

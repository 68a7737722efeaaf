package flat

import "fmt"

// LoadLimits bound what Load, Read, Open and FromTree accept. Fields that are 0 have defaults.
type LoadLimits struct {
	MaxDepth int   // of nodes in nodes, the root's is 1; 10,000 by default
	MaxNodes int   // records; in a schema that shares, nodes that a walk meets; 2^28 by default
	MaxBytes int64 // of the file; 16 GiB by default, which is less than 2^32 words
}

// Defaults of LoadLimits.
const (
	defaultMaxDepth = 10_000
	defaultMaxNodes = 1 << 28
	defaultMaxBytes = 16 << 30
)

// withDefaults returns the limits that count, for the function where.
func (l LoadLimits) withDefaults(where string) LoadLimits {
	if l.MaxDepth < 0 || l.MaxNodes < 0 || l.MaxBytes < 0 {
		panic(where + ": a limit is negative")
	}
	if l.MaxDepth == 0 {
		l.MaxDepth = defaultMaxDepth
	}
	if l.MaxNodes == 0 {
		l.MaxNodes = defaultMaxNodes
	}
	if l.MaxBytes == 0 {
		l.MaxBytes = defaultMaxBytes
	}
	return l
}

// invalid is an error that wraps ErrInvalid.
func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, args...))
}

// beyond is an error that wraps ErrLimit.
func beyond(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrLimit, fmt.Sprintf(format, args...))
}

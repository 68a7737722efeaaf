package flatimpl

import (
	"fmt"
	"math"

	"github.com/coppice-go/coppice/internal/fromfile"
)

// LoadLimits has the fields of flat.LoadLimits, where they are documented. The two types can be
// converted to each other.
type LoadLimits struct {
	MaxDepth int
	MaxNodes int
	MaxWalk  int
	MaxBytes int64
}

// These are the defaults of LoadLimits.
const (
	defaultMaxDepth = 10_000
	defaultMaxNodes = 1 << 28
	defaultMaxBytes = 16 << 30
	defaultMaxWalk  = 1 << 22
	walkPerNode     = 64
)

// withDefaults replaces zero limits with their defaults. If a limit is negative, it panics. The
// message begins with the caller's name, which is passed in where.
func (l LoadLimits) withDefaults(where string) LoadLimits {
	if l.MaxDepth < 0 || l.MaxNodes < 0 || l.MaxWalk < 0 || l.MaxBytes < 0 {
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

// walk returns the maximum number of nodes that a traversal of a tree with the given number of
// nodes may visit, and reports whether there is such a limit. docs/decisions/0012 explains the
// default.
func (l *LoadLimits) walk(nodes uint32) (uint64, bool) {
	most := uint64(l.MaxWalk)
	if most == 0 {
		most = defaultMaxWalk + walkPerNode*uint64(nodes)
	}
	return most, most < math.MaxUint32 && l.MaxWalk < math.MaxInt
}

// invalid returns a formatted error that wraps ErrInvalid.
func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, args...))
}

// otherSchema returns the error for a valid file with an unknown schema. The error matches
// ErrInvalid, like all errors about files in package flat, and fromfile.ErrMismatch. It does not
// match fromfile.ErrInvalid, because the other containers also distinguish a mismatch from an
// invalid file.
func otherSchema(format string, args ...any) error { return &mismatch{fmt.Sprintf(format, args...)} }

type mismatch struct{ text string }

func (e *mismatch) Error() string { return ErrInvalid.Error() + ": " + e.text }
func (e *mismatch) Is(target error) bool {
	return target == ErrInvalid || target == fromfile.ErrMismatch
}

// beyond returns a formatted error that wraps ErrLimit.
func beyond(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrLimit, fmt.Sprintf(format, args...))
}

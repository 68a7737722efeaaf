package flat

import (
	"fmt"
	"math"
)

// LoadLimits bound what Load, Read, Open and the conversions accept. Fields that are 0 have defaults.
//
// MaxWalk is how many nodes a walk may meet that does not remember where it was, as recursion and Preorder: a node with
// several parents once for each of its paths. A file of 500 bytes can have 2^40 of them, and so the default is 2^22
// and 64 more for each record. math.MaxInt is no bound, for programs all of whose walks remember, as All, Fold,
// Compact and the conversions do.
type LoadLimits struct {
	MaxDepth int   // of nodes in nodes, the root's is 1; 10,000 by default
	MaxNodes int   // records; 2^28 by default
	MaxWalk  int   // of Load, Read and Open, in a schema that shares: see below
	MaxBytes int64 // of the file; 16 GiB by default, which is less than 2^32 words
}

// Defaults of LoadLimits.
const (
	defaultMaxDepth = 10_000
	defaultMaxNodes = 1 << 28
	defaultMaxBytes = 16 << 30
	defaultMaxWalk  = 1 << 22
	walkPerNode     = 64
)

// withDefaults returns the limits that count, for the function where.
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

// walk is the bound of walks of a tree of that many nodes, and whether there is one.
func (l *LoadLimits) walk(nodes uint32) (uint64, bool) {
	most := uint64(l.MaxWalk)
	if most == 0 {
		most = defaultMaxWalk + walkPerNode*uint64(nodes)
	}
	return most, most < math.MaxUint32 && l.MaxWalk < math.MaxInt
}

// invalid is an error that wraps ErrInvalid.
func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, args...))
}

// beyond is an error that wraps ErrLimit.
func beyond(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrLimit, fmt.Sprintf(format, args...))
}

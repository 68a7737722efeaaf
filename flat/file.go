package flat

import (
	"io"

	"github.com/coppice-go/coppice/flat/flatimpl"
)

// ReadAny reads a tree whose schema need not be known, because every file contains its schema. The
// tree can be printed, copied and written. The stream must end after the tree.
func ReadAny(r io.Reader, limits LoadLimits) (*Tree, error) {
	t, err := flatimpl.ReadAny(r, flatimpl.LoadLimits(limits))
	return (*Tree)(t), err
}

// LoadAny is like ReadAny, but reads from a file that is already in memory.
func LoadAny(data []byte, limits LoadLimits) (*Tree, error) {
	t, err := flatimpl.LoadAny(data, flatimpl.LoadLimits(limits))
	return (*Tree)(t), err
}

// Guard calls f. It returns ErrFault if f accesses mapped memory that cannot be read because the
// file was truncated or the tree was closed. Without Guard, such an access crashes the program.
// Guard applies only to the calling goroutine. f should not hold a lock. Guard does not recover
// from other panics.
func Guard(f func()) error { return flatimpl.Guard(f) }

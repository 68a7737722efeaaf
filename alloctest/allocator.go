package alloctest

// An Allocator describes the allocator under test: the functions that the tests call, and the
// promises that it makes. T is the type of the values. R is the type of their names: a name, such
// as a pointer, an index or a handle, identifies a value.
//
// New or Alloc must be set. At must be set too, unless R is *T. All other functions may be nil; a
// promise is not tested if its test needs a nil function.
type Allocator[R comparable, T any] struct {
	// New allocates a value, and returns its name and its address.
	New func() (R, *T)
	// Alloc stores a copy of a value.
	Alloc func(T) R
	// TryAlloc is like Alloc but returns an error where Alloc panics.
	TryAlloc func(T) (R, error)
	// Make allocates n consecutive values, and returns the name of the first.
	Make func(n int) (R, []T)
	// At returns the address of the value with the given name. If At is nil, the name is the
	// pointer itself. If the name is no longer valid, At may return nil or panic.
	At func(R) *T
	// Append appends to a slice that Make allocated, like the builtin append.
	Append func(s []T, more ...T) []T

	// Grow reserves room for n more values, so that allocating them requires no more memory.
	Grow func(n int)
	// Delete frees one value. If it rejects the name, it may panic or do nothing.
	Delete func(R)
	// Mark returns a function that frees all values that were allocated since the call of Mark.
	Mark func() (rewind func())
	// Reset frees all values and may keep the memory.
	Reset func()
	// Release releases all memory, even while the allocator is still reachable. The allocator may
	// be unusable afterwards. Release is called after every test, and a second call must do
	// nothing.
	Release func()

	// Clone returns an allocator with copies of the values under the same names.
	Clone func() Allocator[R, T]
	// Writer returns an allocator for use by one goroutine. Its values also belong to this
	// allocator, and its Release closes the Writer.
	Writer func() Allocator[R, T]
	// Bounded returns a new allocator that has room for exactly limit values.
	Bounded func(limit int) Allocator[R, T]
	// Full is the error that TryAlloc wraps when that limit is reached.
	Full error

	// Len returns the number of values that were allocated and not yet freed.
	Len func() int
	// Bytes returns the number of bytes held for values, whether used or not.
	Bytes func() uint64
	// OffHeap returns the number of bytes held outside the Go heap, by this allocator or by the
	// whole process. It is also called after Release. The kit measures the Go heap itself.
	OffHeap func() uint64

	// Room is the maximum number of live values. 0 means that only memory limits it.
	Room int

	// Concurrent means that any number of goroutines may call New, Alloc and Delete at the same
	// time.
	Concurrent bool
	// Dirty means that new values have undefined contents.
	Dirty bool
	// Moves means that values may move in memory, so that only At can find them.
	Moves bool
	// Manual means that Release frees values even if they are still referenced.
	Manual bool
	// Retains means that a freed value may keep alive what it points to, until its memory is
	// overwritten.
	Retains bool
	// Copies means that Alloc copies a value and also the variables that it points to.
	Copies bool
	// Dead describes how the allocator reacts to a name that is no longer valid.
	Dead Dead
}

// Dead describes how an allocator reacts to the name of a freed value.
type Dead int

// These are the behaviors, from the weakest to the strictest.
const (
	DeadUnnoticed Dead = iota // neither Delete nor At rejects the name; the user must not use it
	DeadNotFreed              // Delete rejects the name, as long as it was not reused
	DeadNoticed               // Delete and At always reject the name, and also the names of other allocators
)

// Node is a type for testing allocators. It contains pointers of every kind, one of them to a Node,
// and fields of all sizes in an order that leaves padding.
type Node struct {
	Kind  byte
	Next  *Node
	Size  uint16
	Text  string
	Flag  bool
	Where *[4]uint64
	More  []uint64
	Count uint32
	Any   any
}

// Pointer adapts get for use as the New function of an Allocator whose names are pointers.
func Pointer[T any](get func() *T) func() (*T, *T) {
	return func() (*T, *T) {
		p := get()
		return p, p
	}
}

// Pointers adapts get for use as the Make function of an Allocator whose names are pointers.
func Pointers[T any](get func(n int) []T) func(n int) (*T, []T) {
	return func(n int) (*T, []T) {
		row := get(n)
		if len(row) == 0 {
			return nil, row
		}
		return &row[0], row
	}
}

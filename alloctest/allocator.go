package alloctest

// An Allocator describes an allocator to be tested: its functions, and the promises that it makes.
// R is the type of the names by which a user finds values again, such as a pointer, an index or a
// handle. T is the type of the values.
//
// New or Alloc must be set. At must be set too, unless R is *T. Every other function may be nil;
// the promises whose tests need it are then not tested.
type Allocator[R comparable, T any] struct {
	// New allocates a value, and returns its name and its address.
	New func() (R, *T)
	// Alloc stores a copy of a value.
	Alloc func(T) R
	// TryAlloc is like Alloc but returns an error where Alloc panics.
	TryAlloc func(T) (R, error)
	// Make allocates n consecutive values, and returns the name of the first.
	Make func(n int) (R, []T)
	// At finds a value. nil means that a name is the pointer itself. If the name is no longer
	// valid, At may return nil or panic.
	At func(R) *T
	// Append is the append function for slices of values that Make allocated.
	Append func(s []T, more ...T) []T

	// Grow makes room for n values, so that allocating them requires no more memory.
	Grow func(n int)
	// Delete frees one value. If it rejects the name, it may panic or do nothing.
	Delete func(R)
	// Mark returns a function that frees all values that were allocated since the call of Mark.
	Mark func() (rewind func())
	// Reset frees all values and may keep the memory.
	Reset func()
	// Release releases all memory, even while the allocator is still reachable. The allocator may
	// be unusable from then on. It is called after every test, and a second call must do nothing.
	Release func()

	// Clone returns an allocator with copies of the values under the same names.
	Clone func() Allocator[R, T]
	// Writer returns an allocator for one goroutine. Its values are also values of this allocator,
	// and its Release ends the Writer.
	Writer func() Allocator[R, T]
	// Bounded opens another allocator, which has room for exactly the given number of values.
	Bounded func(limit int) Allocator[R, T]
	// Full is the error that TryAlloc wraps when that limit is reached.
	Full error

	// Len is the number of allocated values that were not freed.
	Len func() int
	// Bytes is the memory held for values, used or not.
	Bytes func() uint64
	// OffHeap is the memory held outside the Go heap, by this allocator or by the whole process. It
	// is also called after Release. The kit measures the Go heap itself.
	OffHeap func() uint64

	// Room is the maximum number of live values, if it is fixed; 0 means that only memory limits
	// it.
	Room int

	// Concurrent promises that any number of goroutines may call New, Alloc and Delete
	// concurrently.
	Concurrent bool
	// Dirty means that new values have undefined contents.
	Dirty bool
	// Moves means that values may move, so that only At finds them.
	Moves bool
	// Manual means that Release ends the life of values even if they are still referenced.
	Manual bool
	// Retains means that a freed value may keep alive what it points to, until something else is
	// stored in its place.
	Retains bool
	// Copies means that Alloc also copies what a value points to.
	Copies bool
	// Dead describes what the allocator does with a name that is no longer valid.
	Dead Dead
}

// Dead describes what an allocator does with the name of a freed value.
type Dead int

// The behaviors, from the weakest to the strictest.
const (
	DeadUnnoticed Dead = iota // nothing: the user must not use it
	DeadNotFreed              // Delete rejects it, as long as the name was not reused
	DeadNoticed               // Delete and At always reject it, and the names of other allocators too
)

// A Node is a type for testing allocators. It has pointers of every kind, one of them to its own
// type, and fields of all sizes in an order that leaves padding.
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

// Pointer adapts a function that returns a pointer, for use as the New of an Allocator.
func Pointer[T any](get func() *T) func() (*T, *T) {
	return func() (*T, *T) {
		p := get()
		return p, p
	}
}

// Pointers adapts a function that returns a slice, for use as the Make of an Allocator.
func Pointers[T any](get func(n int) []T) func(n int) (*T, []T) {
	return func(n int) (*T, []T) {
		row := get(n)
		if len(row) == 0 {
			return nil, row
		}
		return &row[0], row
	}
}

package alloctest

import "strings"

// A Promise is a property that users of an allocator rely on. The text before the colon is the name
// of the subtest that checks it.
type Promise string

// These are the promises, in the order in which they are tested.
const (
	Zeroed     Promise = "Zeroed: a new value is zero, whatever its memory held before"
	Aligned    Promise = "Aligned: a value starts at a multiple of its type's alignment"
	Distinct   Promise = "Distinct: no two live values share a byte or a name"
	Stable     Promise = "Stable: a value stays where it is"
	Kept       Promise = "Kept: a value stays as it was written, however many follow"
	Rows       Promise = "Rows: Make allocates as many values as requested, and an append to them changes no other value"
	Reserved   Promise = "Reserved: after Grow(n) the next n values take no more memory"
	Appended   Promise = "Appended: Append keeps the existing values, and changes no other value"
	Cloned     Promise = "Cloned: a clone has equal values under the same names, and shares none"
	Deleted    Promise = "Deleted: Delete frees one value and no other"
	FreedOnce  Promise = "FreedOnce: a second Delete of one name affects no other value"
	Noticed    Promise = "Noticed: a name of a freed value, or of another allocator, finds nothing"
	Apart      Promise = "Apart: no write to a value, even to a freed one, changes the allocator's own data"
	Emptied    Promise = "Emptied: Reset frees all values, and later values are as good as in a new allocator"
	Rewound    Promise = "Rewound: a rewind frees the values allocated after the mark and no others"
	Released   Promise = "Released: Release may be called twice, and use after it works or panics with a message"
	Freed      Promise = "Freed: Release releases the memory, and a second Release allocates none"
	Reachable  Promise = "Reachable: what a live value points to stays alive"
	Outlives   Promise = "Outlives: a value that is still referenced outlives its allocator, with everything that it points to"
	Forgotten  Promise = "Forgotten: what only a freed value pointed to is garbage"
	Exhausted  Promise = "Exhausted: at the limit there is a clear error, the values stay, and freed room is reused"
	Refused    Promise = "Refused: an absurd count panics with a message, and changes nothing"
	Counted    Promise = "Counted: Len is the number of live values, and Bytes is at least their size"
	Concurrent Promise = "Concurrent: concurrent goroutines get distinct values"
	Separate   Promise = "Separate: two allocators share nothing"
	Program    Promise = "Program: all promises hold in a long random program"
)

// String returns the name of the promise, which is the text before the colon.
func (p Promise) String() string {
	name, _, _ := strings.Cut(string(p), ":")
	return name
}

// A promiseTest describes how one promise is tested.
type promiseTest struct {
	promise Promise
	made    bool   // whether the allocator makes the promise and has the functions for the test
	why     string // the reason if made is false
	run     func(*trial)
}

// tests returns every promise with its test.
func tests(a *allocator) []promiseTest {
	pointers := a.plan.pointsSomewhere()
	ends := a.Delete != nil || a.Reset != nil
	return []promiseTest{
		{Zeroed, !a.Dirty && (a.New != nil || a.Make != nil), "Dirty is set, or New is nil", zeroed},
		{Aligned, a.New != nil, "New is nil", aligned},
		{Distinct, true, "", distinct},
		{Stable, !a.Moves, "Moves is set", stable},
		{Kept, true, "", kept},
		{Rows, a.Make != nil && !a.Moves, "Make is nil, or Moves is set", rows},
		{Reserved, a.Grow != nil && a.Bytes != nil, "Grow or Bytes is nil", reserved},
		{Appended, a.Append != nil && a.Make != nil, "Append or Make is nil", appended},
		{Cloned, a.Clone != nil, "Clone is nil", cloned},
		{Deleted, a.Delete != nil, "Delete is nil", deleted},
		{FreedOnce, a.Delete != nil && a.Dead >= DeadNotFreed, "Delete is nil, or Dead is DeadUnnoticed", freedOnce},
		{Noticed, a.Delete != nil && a.At != nil && a.Dead == DeadNoticed, "Delete or At is nil, or Dead is not DeadNoticed", noticed},
		{Apart, ends && !a.Moves, "Delete and Reset are nil, or Moves is set", apart},
		{Emptied, a.Reset != nil, "Reset is nil", emptied},
		{Rewound, a.Mark != nil, "Mark is nil", rewound},
		{Released, a.Release != nil, "Release is nil", released},
		{Freed, a.Release != nil, "Release is nil", freed},
		{Reachable, pointers && !a.Copies, "the type has no pointer, or Copies is set", reachable},
		{Outlives, !a.Manual && !a.Moves && a.At == nil, "Manual or Moves is set, or names are not pointers", outlives},
		{Forgotten, pointers && (ends || a.Release != nil) && !a.Retains && !a.Copies, "the type has no pointer, or Delete, Reset and Release are nil, or Retains or Copies is set", forgotten},
		{Exhausted, a.Bounded != nil, "Bounded is nil", exhausted},
		{Refused, a.Make != nil || a.Grow != nil, "Make and Grow are nil", refused},
		{Counted, a.Len != nil || a.Bytes != nil, "Len and Bytes are nil", counted},
		{Concurrent, (a.Concurrent || a.Writer != nil) && (a.Room == 0 || a.Room >= 100), "Concurrent is not set, and Writer is nil, or Room is less than 100", concurrent},
		{Separate, true, "", separate},
		{Program, true, "", program},
	}
}

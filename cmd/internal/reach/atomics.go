package reach

import (
	"bytes"
	"cmp"
	"fmt"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// On 32-bit machines, a 64-bit atomic operation panics, or worse, if its operand is not aligned.
// The language guarantees alignment only for the first word of an allocation, so values with such
// operands may have to be allocated separately. The analysis does not determine which code operates
// on which number, because an address may be passed on to any code: through calls, function values,
// interfaces and other modules. If the size of a value is a multiple of the alignment, separate
// allocations are unnecessary: when such values are adjacent in memory, all of their numbers remain
// aligned.
//
// Code that uses unsafe may operate on any 64 bits, such as two 32-bit numbers or eight bytes. It
// needs the address of one of these numbers (see handedOn). It may also convert the address of any
// number to a pointer to atomic.Int64, which the compiler assumes to be aligned.

// aligned is the guaranteed alignment, in bytes, of an allocation's first word.
const aligned = 8

// small computes the sizes of types on 32-bit machines.
var small = types.SizesFor("gc", "386")

// misaligned describes a 64-bit atomic operation whose operand may be misaligned if values of type
// t are adjacent in memory. It returns "" if there is none.
func (m *Module) misaligned(t types.Type) (why string) {
	n := numbersOf(t)
	if n == noNumbers || n != openNumbers && small.Sizeof(t)%aligned == 0 {
		return ""
	}
	if m.atomics == nil {
		found := m.findAtomics()
		m.atomics = &found
	}
	if m.atomics.where == "" {
		return ""
	}
	if n >= wholeNumbers {
		return fmt.Sprintf("%s has 64-bit atomic operations, which need values with such numbers to be allocated one by one: on 32-bit machines their size is not a multiple of %d", m.atomics.where, aligned)
	}
	if m.atomics.halves == "" {
		return ""
	}
	handed := m.handedOn(t)
	if handed == "" {
		return ""
	}
	return fmt.Sprintf("%s has 64-bit atomic operations, which must be aligned on 32-bit machines, and %s may make such a number from smaller ones: %s", m.atomics.where, m.atomics.halves, handed)
}

// A numbered classifies types by the sizes of the numbers in their values.
type numbered int

const (
	noNumbers    numbered = iota
	halfNumbers           // each of less than 64 bits, however many there are
	wholeNumbers          // one of 64 bits
	openNumbers           // depends on a type parameter
)

// numbersOf returns the class of the largest number that a value of type t contains or may contain.
func numbersOf(t types.Type) (most numbered) {
	if _, parameter := types.Unalias(t).(*types.TypeParam); parameter {
		return openNumbers
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case !isNumber(u):
			return noNumbers
		case small.Sizeof(u) >= aligned:
			return wholeNumbers
		}
		return halfNumbers
	case *types.Array:
		return numbersOf(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			most = max(most, numbersOf(f.Type()))
		}
	}
	return most
}

// atomicUse is the result of the search for 64-bit atomic operations. where is a position at which
// the module, or a module that it imports, has such an operation. halves is a position at which it
// may combine smaller numbers into a 64-bit operand. Each is "" if none was found.
type atomicUse struct{ where, halves string }

// atomics contains the patterns of 64-bit atomic operations in source files. They are tried in this
// order.
var atomics = []struct {
	suffix string
	all    []*regexp.Regexp // all of which the file matches
}{
	{".go", []*regexp.Regexp{imports("sync/atomic"), regexp.MustCompile(`\b(Add|And|Or|CompareAndSwap|Load|Store|Swap)(Int|Uint)64\b`)}},
	{".go", []*regexp.Regexp{regexp.MustCompile(`(?m)^//go:linkname\s.*\batomic\.|__atomic_|__sync_|\bstdatomic\b`)}},
	{"", []*regexp.Regexp{regexp.MustCompile(`(?i)atomic|__sync_|\bLDREXD\b|\bCMPXCHG8B\b`)}}, // assembly, and other languages
}

// atomicTypes contains patterns that match a file that uses atomic.Int64 or atomic.Uint64. The
// methods of these types are 64-bit atomic operations, but harmless unless a number of a different
// type is converted to one of these types. The last pattern excludes calls, because functions of
// other packages have similar names, as in binary.BigEndian.Uint64(b).
var atomicTypes = []*regexp.Regexp{imports("sync/atomic"), regexp.MustCompile(`\b(Int|Uint)64\b[^(]`)}

// findAtomics searches for 64-bit atomic operations in the files of the main modules and of the
// modules that they import, including files that the build excludes. Code in languages other than
// Go can combine the halves of a number without package unsafe.
func (m *Module) findAtomics() (all atomicUse) {
	typed := ""
	look := func(name string) {
		if all.where != "" && all.halves != "" {
			return
		}
		where := atomicIn(name)
		all.where = cmp.Or(all.where, where)
		if strings.HasSuffix(name, ".go") {
			typed = cmp.Or(typed, matchIn(name, atomicTypes))
		}
		if !strings.HasSuffix(name, ".go") {
			all.halves = cmp.Or(all.halves, where)
		} else if line := grep(name, unsafely); line > 0 {
			all.halves = cmp.Or(all.halves, fmt.Sprintf("%s:%d", filepath.Base(name), line))
		}
	}
	for _, f := range m.files {
		look(f.name)
	}
	for _, f := range m.others {
		look(f.name)
	}
	if all.halves != "" {
		all.where = cmp.Or(all.where, typed)
	}
	return all
}

// unsafely matches files that import unsafe.
var unsafely = imports("unsafe")

// Pinning searches a Go file for code that may require values to be allocated separately or
// aligned: code that observes when values die, or a 64-bit atomic operation. It returns the
// position of the code, or "" if there is none. It does not search for unsafe or weak pointers.
func Pinning(file string) (where string) {
	return cmp.Or(matchIn(file, []*regexp.Regexp{finalizes}), atomicIn(file))
}

// atomicIn returns the position of a 64-bit atomic operation in a file, or "" if there is none.
func atomicIn(name string) (where string) {
	for _, a := range atomics {
		if where == "" && strings.HasSuffix(name, ".go") == (a.suffix == ".go") {
			where = matchIn(name, a.all)
		}
	}
	return where
}

// matchIn returns the position of the last pattern's match in a file, if the file matches all
// patterns, and "" otherwise. If the file cannot be read, it returns the error message.
func matchIn(name string, patterns []*regexp.Regexp) (where string) {
	data, err := os.ReadFile(name)
	if err != nil {
		return err.Error()
	}
	at := []int{0}
	for _, pattern := range patterns {
		if at = pattern.FindIndex(data); at == nil {
			return ""
		}
	}
	return fmt.Sprintf("%s:%d", filepath.Base(name), 1+bytes.Count(data[:at[0]], []byte("\n")))
}

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

// On 32-bit computers, an atomic operation on 64 bits panics, or worse, if its operand is not
// aligned. The language guarantees the alignment only of the first word of an allocation, so values
// with such operands may have to be allocated separately. The analysis does not determine which
// code operates on which number, because an address may be passed on to any code: through calls,
// function values, interfaces and other modules. Values whose size is a multiple of the alignment
// need not be allocated separately: if they follow one another in memory, all of their numbers
// remain aligned.
//
// With unsafe, code may operate on any 64 bits, such as two 32-bit numbers or eight bytes. To do
// so, it needs the address of one of these numbers (see handedOn). Any number may also be converted
// to an atomic.Int64, which the compiler assumes to be aligned.

// aligned is the alignment of the first word of an allocation.
const aligned = 8

// small contains the sizes of types on 32-bit computers.
var small = types.SizesFor("gc", "386")

// misaligned describes an atomic operation whose operands may not be aligned if values of a type
// follow one another in memory. It returns "" if there is none.
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

// numbered classifies the numbers in a value.
type numbered int

const (
	noNumbers    numbered = iota
	halfNumbers           // each of less than 64 bits, however many there are
	wholeNumbers          // one of 64 bits
	openNumbers           // depends on a type parameter
)

// numbersOf returns the class of the largest numbers that a value has, or may have.
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

// found contains a position at which the module, or a module that it imports, has an atomic
// operation on 64 bits, and a position at which it may combine other numbers into a 64-bit operand.
// Each is "" if there is none.
type found struct{ where, halves string }

// atomics contains the patterns that match files with atomic operations on 64 bits, in the order of
// the search.
var atomics = []struct {
	suffix string
	all    []*regexp.Regexp // all of which the file matches
}{
	{".go", []*regexp.Regexp{imports("sync/atomic"), regexp.MustCompile(`\b(Add|And|Or|CompareAndSwap|Load|Store|Swap)(Int|Uint)64\b`)}},
	{".go", []*regexp.Regexp{regexp.MustCompile(`(?m)^//go:linkname\s.*\batomic\.|__atomic_|__sync_|\bstdatomic\b`)}},
	{"", []*regexp.Regexp{regexp.MustCompile(`(?i)atomic|__sync_|\bLDREXD\b|\bCMPXCHG8B\b`)}}, // assembly, and other languages
}

// atomicTypes contains the patterns that match a file that uses atomic.Int64 or atomic.Uint64,
// whose methods are atomic operations on 64 bits. These types are harmless unless a number of a
// different type is converted to one of them. The last pattern excludes calls, because functions of
// other packages have similar names, as in binary.BigEndian.Uint64(b).
var atomicTypes = []*regexp.Regexp{imports("sync/atomic"), regexp.MustCompile(`\b(Int|Uint)64\b[^(]`)}

// findAtomics searches for atomic operations on 64 bits in the files of the main modules and of the
// modules that they import, in any build. Code in languages other than Go can combine halves of
// numbers without package unsafe.
func (m *Module) findAtomics() (all found) {
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

// Pinning returns the position at which a Go file may require values to be allocated separately, or
// aligned, for a reason other than unsafe and weak pointers: the file observes when values die, or
// has atomic operations on 64 bits. It returns "" if the file does neither.
func Pinning(file string) (where string) {
	return cmp.Or(matchIn(file, []*regexp.Regexp{finalizes}), atomicIn(file))
}

// atomicIn returns the position at which a file has an atomic operation on 64 bits, or "" if it has
// none.
func atomicIn(name string) (where string) {
	for _, a := range atomics {
		if where == "" && strings.HasSuffix(name, ".go") == (a.suffix == ".go") {
			where = matchIn(name, a.all)
		}
	}
	return where
}

// matchIn returns the position at which a file matches the last of the given patterns, if it
// matches all of them, and "" if it does not. If the file cannot be read, matchIn returns the error
// as text.
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

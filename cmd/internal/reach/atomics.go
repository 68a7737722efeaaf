package reach

import (
	"bytes"
	"fmt"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// On computers of 32 bits, an atomic operation on 64 bits panics, or worse, if its number is not aligned, and the language aligns only what an
// allocation begins with. Who operates on a number of a value is not asked: its address may go anywhere, through calls, function values,
// interfaces and other modules. A value whose size is a multiple of the alignment may stand behind another one all the same: all of its numbers
// are aligned as they were.

// aligned is what the first word of an allocation is a multiple of.
const aligned = 8

// small has the sizes of computers of 32 bits.
var small = types.SizesFor("gc", "386")

// misaligned says what operates on numbers that would not be aligned if a value of a type stood behind another one; empty if nothing does.
func (m *Module) misaligned(t types.Type) (why string) {
	if has, open := words(t); !has || !open && small.Sizeof(t)%aligned == 0 {
		return ""
	}
	if m.atomics == nil {
		where := m.findAtomics()
		m.atomics = &where
	}
	if *m.atomics == "" {
		return ""
	}
	return fmt.Sprintf("%s has atomic operations on 64 bits, which want values with such numbers to be allocated one by one: on 32-bit computers the size of these is no multiple of %d", *m.atomics, aligned)
}

// words reports whether a value has, or may have, 64 bits in it that are one number, and whether its size depends on a type parameter.
func words(t types.Type) (has, open bool) {
	if _, parameter := types.Unalias(t).(*types.TypeParam); parameter {
		return true, true
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsNumeric != 0 && small.Sizeof(u) >= aligned, false
	case *types.Array:
		return words(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			inHas, inOpen := words(f.Type())
			has, open = has || inHas, open || inOpen
		}
	}
	return has, open
}

// Files with such operations, in the order in which they are looked for.
var atomics = []struct {
	suffix string
	words  []*regexp.Regexp // which the file has
}{
	{".go", []*regexp.Regexp{imports("sync/atomic"), regexp.MustCompile(`\b(Add|And|Or|CompareAndSwap|Load|Store|Swap)(Int|Uint)64\b`)}},
	{".go", []*regexp.Regexp{regexp.MustCompile(`(?m)^//go:linkname\s.*\batomic\.|__atomic_|__sync_|\bstdatomic\b`)}},
	{"", []*regexp.Regexp{regexp.MustCompile(`(?i)atomic|__sync_|\bLDREXD\b|\bCMPXCHG8B\b`)}}, // assembly, and other languages
}

// findAtomics returns the first file that has such operations: of the main modules and of those that they import, whatever build takes it.
func (m *Module) findAtomics() (where string) {
	for _, f := range m.files {
		if where := atomicIn(f.name); where != "" {
			return where
		}
	}
	for _, name := range m.others {
		if where := atomicIn(name); where != "" {
			return where
		}
	}
	return ""
}

// atomicIn returns where a file has an atomic operation on 64 bits; empty if it has none.
func atomicIn(name string) (where string) {
	data, err := os.ReadFile(name)
	if err != nil {
		return err.Error()
	}
	for _, a := range atomics {
		if strings.HasSuffix(name, ".go") != (a.suffix == ".go") {
			continue
		}
		at := []int{0}
		for _, word := range a.words {
			if at != nil {
				at = word.FindIndex(data)
			}
		}
		if at != nil {
			return fmt.Sprintf("%s:%d", filepath.Base(name), 1+bytes.Count(data[:at[0]], []byte("\n")))
		}
	}
	return ""
}

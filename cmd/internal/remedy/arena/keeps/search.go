package keeps

import (
	"fmt"
	"go/types"
	"path/filepath"

	"golang.org/x/tools/go/ssa"
)

// A search is the state of an analysis of one call.
type search struct {
	*Functions
	solver
	outside  *place
	values   map[ssa.Value]*place
	declared map[*ssa.Function]*place
	results  map[*ssa.Function]*place
	runs     map[*ssa.Function]bool
	unseen   []*ssa.Function // functions in runs that have not been analyzed yet
	entered  map[*place]bool
	asserted map[assertion]bool
	at       ssa.Instruction // instruction that is being analyzed

	pointers map[*place]*place        // pointers that pointerTo made, by the place to which they point
	texted   map[*place]bool          // values that have been formatted
	taken    map[*place]bool          // values whose contents a known method may move
	others   map[foreignMemory]*place // memory that functions of other modules have allocated

	theirs *place // set in a search for what escapes after the call; otherwise nil
	had    *node  // places that a result may contain in such a search
	put    *node  // places that are stored in objects of callers

	leaking map[*place]bool
	isOut   map[*place]ssa.Instruction // escaped places, with the instruction that is the cause
	order   []*place                   // keys of isOut, in order of their escape
	never   string                     // reason that nothing is known; empty if there is none
	panics  *place
}

func newSearch(f *Functions) *search {
	return &search{
		Functions: f, outside: &place{kind: outside, typ: types.Typ[types.Invalid]},
		values: map[ssa.Value]*place{}, declared: map[*ssa.Function]*place{}, results: map[*ssa.Function]*place{},
		runs: map[*ssa.Function]bool{}, entered: map[*place]bool{}, asserted: map[assertion]bool{},
		pointers: map[*place]*place{}, texted: map[*place]bool{}, taken: map[*place]bool{}, others: map[foreignMemory]*place{},
		leaking: map[*place]bool{}, isOut: map[*place]ssa.Instruction{}, panics: newPlace(anything),
	}
}

// resultsOf returns the place for a function's results.
func (s *search) resultsOf(fn *ssa.Function) *place {
	p := s.results[fn]
	if p == nil {
		p = newPlace(fn.Signature.Results())
		s.results[fn] = p
	}
	return p
}

// attribute calls a function, and attributes all flows that the function records to the given
// instruction.
func (s *search) attribute(at ssa.Instruction, do func()) {
	before := s.at
	s.at = at
	do()
	s.at = before
}

// nowhere is recorded as the instruction of places that are out from the start.
var nowhere ssa.Instruction = new(ssa.RunDefers)

// formatPos formats the position at which memory escaped.
func (s *search) formatPos(at ssa.Instruction) string {
	if at == nowhere || at.Parent() == nil {
		return "it leaves the function"
	}
	pos := s.root.Fset.PositionFor(at.Pos(), false)
	if !pos.IsValid() {
		pos = s.root.Fset.PositionFor(at.Parent().Pos(), false)
	}
	return fmt.Sprintf("%s:%d", filepath.Base(pos.Filename), pos.Line)
}

// assertion identifies a type assertion by the places of its operand and its result.
type assertion struct{ of, to *place }

// foreignMemory identifies the memory that a different module allocates for a pointer.
type foreignMemory struct {
	at      ssa.Instruction
	pointer *place
}

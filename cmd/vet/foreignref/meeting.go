package foreignref

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/coppice-go/coppice/cmd/vet/internal/flow"
)

// A meeting contains the objects that one call can reach. If the call can reach two stores, it may
// have copied one to the other, as Clone and CopyFrom do. Refs of one store are then valid in the
// other.
type meeting []flow.Path

// meetingsIn returns the meetings in a function and its closures.
func meetingsIn(fn *ssa.Function) (all []meeting) {
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			call, ok := instr.(ssa.CallInstruction)
			if !ok {
				continue
			}
			var m meeting
			for _, arg := range call.Common().Args {
				m = append(m, flow.PathOf(arg))
			}
			if known, ok := flow.Known(call.Common()); ok && known.Name == "Clone" {
				for _, user := range *call.Value().Referrers() {
					if clone, ok := user.(*ssa.Extract); ok {
						m = append(m, flow.PathOf(clone))
					}
				}
			}
			all = append(all, m)
		}
	}
	for _, closure := range fn.AnonFuncs {
		all = append(all, meetingsIn(closure)...)
	}
	return all
}

// met reports whether there is a call that can reach both objects.
func (r *rule) met(a, b flow.Path) bool {
	for _, m := range r.meetings {
		if m.reaches(a) && m.reaches(b) {
			return true
		}
	}
	return false
}

func (m meeting) reaches(p flow.Path) bool {
	for _, given := range m {
		if given.Root == p.Root && strings.HasPrefix(p.Steps, given.Steps) {
			return true
		}
	}
	return false
}

package foreignref

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/coppice-go/coppice/vet/internal/flow"
)

// A meeting is what one call can reach. If that is two stores, the call may have made one
// a copy of the other, as Clone and CopyFrom do: refs of one are then good in the other.
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

// met tells whether some call could reach both.
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

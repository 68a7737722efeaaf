package decide

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/render/figure"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// Thresholds for the answer. The thresholds for programs that are not worth analyzing are in
// remedy.Idle.
const (
	// worthwhile is the smallest share of the CPU time that a change must save to be worth making.
	// It equals the default of coppice prove -least, because a smaller saving could not be proven
	// afterwards.
	worthwhile = 0.05
	// A setting is affordable if its peak memory is at most affordableTimes times the former peak,
	// or if the increase is small in bytes: a program of 5 MiB may use 50 MiB.
	affordableTimes = 3
	affordableBytes = 64 << 20
)

// answer returns what to do first, and the reason. It asks the questions that are cheap for the
// user first: is there anything to gain, is the profile long enough to tell, does one line of
// configuration gain as much as all fixes together, and only then, are the fixes worth the work.
// NotKnown is a valid answer too, because a wrong "leave it alone" would end the search for good.
func (p program) answer(proposals []site.Proposal) (site.Answer, string) {
	if p.Existing() {
		return p.answerOfProfiles(proposals)
	}
	if why, ok := p.Idle(); ok {
		return site.LeaveAlone, why
	}
	if p.Classes.Samples < remedy.MinSamples {
		return site.NotKnown, fmt.Sprintf("the CPU profile has %d samples, but %d are needed: run longer", p.Classes.Samples, remedy.MinSamples)
	}
	memory := p.Classes.Memory()
	if p.Ceiling == nil && memory < remedy.LeastMemory {
		return site.NotKnown, fmt.Sprintf("malloc and the collector take %s of the CPU time, but the saving without a collector was not measured", remedy.Percent(memory))
	}
	sum, most := p.totalSavings(proposals)
	gogc, saves := p.bestSetting()
	switch {
	case gogc != nil && saves >= worthwhile && saves >= sum:
		return site.SetGOGC, fmt.Sprintf("%s saves %s of the CPU time [%s, %s] without a change to the source, and %s; it takes %s%s",
			gogc.Name, remedy.Percent(saves), remedy.Percent(1-gogc.CPU.Hi), remedy.Percent(1-gogc.CPU.Lo), p.fixesBring(proposals, sum), memoryOf(gogc), p.beyondCollector(gogc))
	case len(proposals) == 0 && !p.fatesKnown():
		return site.NotKnown, fmt.Sprintf("malloc and the collector take %s of the CPU time; the remedy depends on how long the values live, which was not measured: leave out -quick", remedy.Percent(memory))
	case len(proposals) == 0:
		return site.LeaveAlone, fmt.Sprintf("malloc and the collector take %s of the CPU time, but no site has a remedy", remedy.Percent(memory))
	case most == 0:
		return site.NotKnown, "no estimate holds: " + proposals[0].Estimate.Void[0]
	case most < worthwhile:
		return site.LeaveAlone, fmt.Sprintf("all fixes together save %s of the CPU time at most, less than the threshold of %s", remedy.Percent(most), remedy.Percent(worthwhile))
	}
	reason := fmt.Sprintf("malloc and the collector take %s of the CPU time, and %s", remedy.Percent(memory), p.fixesBring(proposals, sum))
	if rival := p.unaffordable(sum); rival != nil {
		reason += fmt.Sprintf("; %s saves %s, but takes %s", rival.Name, remedy.Percent(1-rival.CPU.Ratio), memoryOf(rival))
	}
	return site.FixSites, reason
}

// fatesKnown reports whether the lifetimes of values were measured.
func (p program) fatesKnown() bool {
	return slices.ContainsFunc(p.Sites, func(s *site.Site) bool { return s.Fate.Method != site.Unknown })
}

// totalSavings adds up the savings of the proposals with a valid estimate. The result most is the
// sum of the upper ends of their intervals, which overstates the upper end of the total. It is used
// only to decide that the fixes are not worth having. Overstating the savings is safe there.
func (p program) totalSavings(proposals []site.Proposal) (sum, most float64) {
	for _, r := range proposals {
		if p.usable(r.Estimate) {
			sum, most = sum+r.Estimate.CPU, most+r.Estimate.Hi
		}
	}
	return remedy.Within(sum), remedy.Within(most)
}

func (p program) fixesBring(proposals []site.Proposal, sum float64) string {
	held := 0
	for _, r := range proposals {
		if p.usable(r.Estimate) {
			held++
		}
	}
	switch {
	case held == 0:
		return "no estimate of a fix holds"
	case held == 1:
		return "the one fix that coppice knows is worth " + remedy.Percent(sum)
	}
	return fmt.Sprintf("the %d fixes that coppice knows are together worth %s", held, remedy.Percent(sum))
}

// bestSetting returns the GOGC setting with the largest proven saving, among the settings whose
// memory use is affordable. The saving must be proven, because the best of several settings looks
// good by chance alone.
func (p program) bestSetting() (best *site.Setting, saves float64) {
	for i := range p.Settings {
		s := &p.Settings[i]
		if isGOGC(s) && s.CPU.Proven && affordable(s) && 1-s.CPU.Ratio > saves {
			best, saves = s, 1-s.CPU.Ratio
		}
	}
	return best, saves
}

// beyondCollector returns a note if a setting saves more CPU time than the collector uses. Such a
// saving may be real, because the collector also evicts the program's data from the caches. It may
// also be a measurement error on a busy machine.
func (p program) beyondCollector(s *site.Setting) string {
	collector := p.Classes.Memory() - p.Classes.Malloc
	if 1-s.CPU.Hi <= collector {
		return ""
	}
	return fmt.Sprintf("; the collector takes only %s in the profile, so part of the saving has another cause, such as caches or other processes", remedy.Percent(collector))
}

// builds describes the alternative build with the largest proven saving, and states whether it
// saves more than the fixes. It returns "" if no build saves enough.
func (p program) builds(proposals []site.Proposal) string {
	var best *site.Setting
	for i := range p.Settings {
		if s := &p.Settings[i]; s.Price != "" && s.CPU.Proven && 1-s.CPU.Ratio >= worthwhile && (best == nil || s.CPU.Ratio < best.CPU.Ratio) {
			best = s
		}
	}
	if best == nil {
		return ""
	}
	text := fmt.Sprintf("; %s alone saves %s [%s, %s]", best.Name, remedy.Percent(1-best.CPU.Ratio), remedy.Percent(1-best.CPU.Hi), remedy.Percent(1-best.CPU.Lo))
	if sum, _ := p.totalSavings(proposals); sum > 0 && 1-best.CPU.Ratio > sum {
		text += ", more than all fixes"
	}
	return text
}

// unaffordable returns a GOGC setting that saves as much as the fixes but uses too much memory, or
// nil if there is none. The reason for the answer mentions it, because the user may have that
// memory.
func (p program) unaffordable(sum float64) *site.Setting {
	for i := range p.Settings {
		if s := &p.Settings[i]; isGOGC(s) && s.CPU.Proven && !affordable(s) && 1-s.CPU.Ratio >= sum {
			return s
		}
	}
	return nil
}

// isGOGC reports whether a setting is a GOGC value that a program can run with. It returns false
// for GOGC=off without a memory limit, which is measured only to find the ceiling.
func isGOGC(s *site.Setting) bool {
	return strings.Contains(s.Name, "GOGC=") && (!strings.Contains(s.Name, "GOGC=off") || strings.Contains(s.Name, "GOMEMLIMIT="))
}

// affordable reports whether a setting uses an acceptable amount of memory. It returns false if the
// peak is unknown: memory is the price of a higher GOGC, and the advice must not hide that price.
func affordable(s *site.Setting) bool {
	switch {
	case s.RSS == nil:
		return false
	case s.RSS.Ratio <= affordableTimes:
		return true
	}
	return s.PeakAfter > 0 && s.PeakAfter-s.PeakBefore <= affordableBytes
}

func memoryOf(s *site.Setting) string {
	if s.RSS == nil {
		return "memory that was not measured"
	}
	text := figure.Rough(s.RSS.Ratio) + " times the memory at its peak"
	if s.PeakAfter > 0 {
		const mib = 1 << 20
		text += fmt.Sprintf(", %.1f MiB instead of %.1f", s.PeakAfter/mib, s.PeakBefore/mib)
	}
	return text
}

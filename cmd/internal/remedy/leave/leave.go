// Package leave is the remedy that leaves a site unchanged, because the site costs little or no
// cheaper alternative is known.
package leave

import (
	_ "embed"
	"fmt"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

//go:embed remedy.toml
var data []byte

// Remedy contains the documentation and the rules of the remedy.
var Remedy = &remedy.Remedy{
	Document: remedy.MustParse(data),
	Rules: []remedy.Rule{
		{Number: 0, Name: "the program gains nothing", Match: nothingToGain, Do: remedy.Words("leave")},
		{Number: 1, Row: 1, Name: "it is the test's own", Match: inTest, Do: remedy.Words("leave")},
		{Number: 1, Row: 2, Name: "it costs little", Match: cheap, Do: remedy.Words("leave")},
		{Number: 13, Name: "no other rule matches", Match: reasonToLeave, Do: remedy.Words("leave")},
	},
}

// nothingToGain implements rule 0. It matches if the program spends little time on memory, and
// would save almost nothing without a garbage collector.
func nothingToGain(p *remedy.Program, _ *site.Site) []string {
	if why, ok := p.Idle(); ok {
		return []string{why}
	}
	return nil
}

func inTest(p *remedy.Program, s *site.Site) []string {
	if !s.Facts.Test {
		return nil
	}
	return []string{"it is in a test file: the program does not do this"}
}

// A site is worth a change if it reaches one of these fractions.
const (
	leastMalloc = 0.005 // fraction of the CPU time
	leastBytes  = 0.02  // fraction of all bytes
)

// cheap implements rule 1. It matches a site whose cost is below both limits. Without a CPU
// profile, only the bytes are known.
func cheap(p *remedy.Program, s *site.Site) []string {
	if s.Malloc >= leastMalloc || s.BytesPart >= leastBytes {
		return nil
	}
	return []string{fmt.Sprintf("its malloc takes %s of the CPU time, and it makes %s of the bytes: both are small", remedy.Percent(s.Malloc), remedy.Percent(s.BytesPart))}
}

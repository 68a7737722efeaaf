package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Count records which sites one rule changed and which it left unchanged.
type Count struct {
	Rule *Rule
	Done int
	Left map[string][]string // places by the reason why they stayed as they were
}

// String formats the numbers of changed and unchanged sites. It lists the reasons for leaving sites
// unchanged, each with the first positions to which it applies.
func (c Count) String() string {
	left := 0
	for _, places := range c.Left {
		left += len(places)
	}
	return fmt.Sprintf("%s: %d sites changed, %d left%s", c.Rule, c.Done, left, c.reasons())
}

func (c Count) reasons() string {
	var out strings.Builder
	for _, reason := range slices.Sorted(maps.Keys(c.Left)) {
		places := c.Left[reason]
		more := ""
		if len(places) > 3 {
			more = ", ..."
		}
		fmt.Fprintf(&out, "; %d left: %s (%s%s)", len(places), reason, strings.Join(places[:min(3, len(places))], ", "), more)
	}
	return out.String()
}

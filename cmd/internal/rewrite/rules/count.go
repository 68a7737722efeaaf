package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Count contains the results of one rule.
type Count struct {
	Rule *Rule
	Done int
	Left map[string][]string // places by the reason why they stayed as they were
}

// String formats the numbers of sites that were changed and of sites that were left unchanged. For
// the latter, it adds the reasons, each with its first positions.
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

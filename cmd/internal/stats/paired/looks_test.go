package paired

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/stats"
	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

// TestFalseAlarmsOfThePlan verifies that a session that stops at the first look with a proof finds
// a difference between equal programs in at most 5 % of cases, equally often in both directions.
func TestFalseAlarmsOfThePlan(t *testing.T) {
	testsize.OnlyInFull(t, "it simulates many sessions")
	sessions := simulated(2000)
	random := rand.New(rand.NewPCG(4, 1))
	count := map[Verdict]int{}
	for range sessions {
		base, head := rounds(80, 1, 0.13, 0.5, heavy(random))
		for _, look := range stats.Looks(0.05, 0) {
			if v := compare(t, base[:look.N], head[:look.N], look.Alpha).Verdict(0.05); v == Faster || v == Slower {
				count[v]++
				break
			}
		}
	}
	t.Logf("%d faster and %d slower of %d", count[Faster], count[Slower], sessions)
	side, all := 0.025*float64(sessions), 0.05*float64(sessions)
	if count[Faster]+count[Slower] > int(all+3*math.Sqrt(all)) || count[Faster] > int(side+3*math.Sqrt(side)) || count[Slower] > int(side+3*math.Sqrt(side)) {
		t.Errorf("of %d sessions of equals, %d are faster and %d slower", sessions, count[Faster], count[Slower])
	}
	if least := sessions / 200; count[Faster] < least || count[Slower] < least {
		t.Errorf("of %d sessions of equals, %d are faster and %d slower: the plan spends less than it may", sessions, count[Faster], count[Slower])
	}
}

package across

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

// contenders draws the log ratios of four contenders on each machine. Contenders 0, 1 and 3 are
// equal on average, but contender 1 varies by kind and by machine. Contenders 0 and 3 are equal on
// every machine.
func (w world) contenders(r *rand.Rand) (pairs []Pair, truth map[string][]float64) {
	truth = map[string][]float64{}
	var blocks [6][]Block
	for k, n := range w.counts {
		kind := [4]float64{0, w.between * r.NormFloat64(), 0.2, 0}
		for m := range n {
			level := kind
			level[1] += w.within * r.NormFloat64()
			noise := 0.01 + 0.04*r.Float64()
			base := w.rounds(r, 0)
			var figures [4][]float64
			for _, v := range base {
				for c := range figures {
					figures[c] = append(figures[c], w.run(r, v*math.Exp(level[c]), noise))
				}
			}
			at := 0
			for a := range 4 {
				for b := a + 1; b < 4; b++ {
					block, _ := NewBlock(fmt.Sprint(k, "-", m), fmt.Sprint(k), figures[b], figures[a], 0.05)
					blocks[at] = append(blocks[at], block)
					name := fmt.Sprint(a) + fmt.Sprint(b)
					truth[name] = append(truth[name], level[a]-level[b])
					at++
				}
			}
		}
	}
	at := 0
	for a := range 4 {
		for b := a + 1; b < 4; b++ {
			pairs = append(pairs, Pair{fmt.Sprint(a), fmt.Sprint(b), blocks[at]})
			at++
		}
	}
	return pairs, truth
}

// false reports whether the order makes a claim that contradicts the true log ratios.
func (o Order) false(truth []float64, blocks []Block) bool {
	if o.Everywhere != 0 && slices.ContainsFunc(truth, func(log float64) bool { return log*float64(o.Everywhere) <= 0 }) {
		return true
	}
	for i, b := range blocks {
		if slices.Contains(o.FirstOn, b.Machine) && truth[i] >= 0 || slices.Contains(o.SecondOn, b.Machine) && truth[i] <= 0 {
			return true
		}
	}
	least, greatest := slices.Min(truth), slices.Max(truth)
	return o.Swaps() && (least >= 0 || greatest <= 0)
}

// TestOrdersOfKnownMachines verifies that at most 5 % of sweeps contain any false claim about the
// ranking. It also logs how often true differences are found.
func TestOrdersOfKnownMachines(t *testing.T) {
	t.Parallel()
	sweeps, slack := 40, 0.08
	if testsize.Full() {
		sweeps, slack = 200, 0.01
	}
	for i, counts := range [][]int{{1, 1, 1}, {2, 1, 1, 1}, {4, 2, 2, 1, 1}, {14, 10, 8, 5, 3}} {
		for j, sd := range []float64{0, 0.03} {
			w := world{counts, sd, sd, 10, 24, 0.02}
			t.Run(fmt.Sprintf("%v %.0f %%", counts, 100*sd), func(t *testing.T) {
				if testsize.Full() {
					testsize.OneOf(t, 3*i+j, "it simulates many sweeps")
				}
				t.Parallel()
				w.checkOrders(t, rand.New(rand.NewPCG(uint64(10*i+j), 21)), sweeps, slack)
			})
		}
	}
}

// checkOrders compares the claims of many sweeps with the true order.
func (w world) checkOrders(t *testing.T, r *rand.Rand, sweeps int, slack float64) {
	wrong, held, swapped, swaps := 0.0, 0.0, 0.0, 0.0
	for range sweeps {
		pairs, truth := w.contenders(r)
		bad := false
		for k, o := range Orders(pairs, 0.05) {
			name := o.First + o.Second
			bad = bad || o.false(truth[name], pairs[k].Blocks)
			if name == "02" && o.Everywhere == -1 {
				held++
			}
			if slices.Min(truth[name]) < -0.03 && slices.Max(truth[name]) > 0.03 {
				swaps++
				swapped += oneIf(o.Swaps())
			}
		}
		wrong += oneIf(bad)
	}
	t.Logf("a false claim in %.3f of sweeps; the order that holds was found in %.2f, swaps of more than 3 %% in %.2f",
		wrong/float64(sweeps), held/float64(sweeps), swapped/swaps)
	if wrong/float64(sweeps) > 0.05+slack {
		t.Errorf("%v: a false claim in %.3f of sweeps", w, wrong/float64(sweeps))
	}
}

// TestEverywhereRequiresEachMachine verifies that an order does not hold everywhere if one machine
// leaves it open or if machines prove opposite orders.
func TestEverywhereRequiresEachMachine(t *testing.T) {
	rounds := func(ratios ...float64) (base, head []float64) {
		for i, ratio := range ratios {
			base, head = append(base, float64(i+1)), append(head, float64(i+1)*ratio)
		}
		return base, head
	}
	block := func(machine string, ratios ...float64) Block {
		base, head := rounds(ratios...)
		b, _ := NewBlock(machine, machine, base, head, 0.05)
		return b
	}
	less := []float64{0.5, 0.51, 0.52, 0.53, 0.54, 0.55, 0.56, 0.57, 0.58, 0.59}
	more := []float64{1.5, 1.51, 1.52, 1.53, 1.54, 1.55, 1.56, 1.57, 1.58, 1.59}
	unclear := []float64{0.9, 1.05, 0.8, 1.1, 0.95, 1.02, 0.7, 1.2, 0.85, 1.01}
	for what, c := range map[string]struct {
		blocks     []Block
		everywhere int
		swaps      bool
	}{
		"everywhere":        {[]Block{block("a", less...), block("b", less...), block("c", less...)}, -1, false},
		"one is open":       {[]Block{block("a", less...), block("b", less...), block("c", unclear...)}, 0, false},
		"the first is open": {[]Block{block("c", unclear...), block("a", less...)}, 0, false},
		"both ways":         {[]Block{block("a", less...), block("b", less...), block("c", more...)}, 0, true},
	} {
		o := Orders([]Pair{{"x", "y", c.blocks}}, 0.05)[0]
		if o.Everywhere != c.everywhere || o.Swaps() != c.swaps {
			t.Errorf("%s: %+v", what, o)
		}
	}
}

// TestNeededRounds verifies that Needed returns the smallest sufficient number: if all rounds
// agree, every machine proves its order with this number of rounds, and no machine does with one
// round fewer.
func TestNeededRounds(t *testing.T) {
	for name, kind := range map[string]func(machine int) string{
		"each of its own kind": func(machine int) string { return fmt.Sprint(machine) },
		"all of one kind":      func(int) string { return "kind" },
	} {
		t.Run(name, func(t *testing.T) { neededRounds(t, kind) })
	}
}

func neededRounds(t *testing.T, kind func(machine int) string) {
	const alpha, machines = 0.05, 3
	pairs := func(rounds int) []Pair {
		first, second := make([]float64, rounds), make([]float64, rounds)
		for i := range rounds {
			first[i], second[i] = 1+float64(i)/100, 2+float64(i)/50
		}
		blocks := make([]Block, 0, machines)
		for m := range machines {
			block, ok := NewBlock(fmt.Sprint(m), kind(m), first, second, alpha)
			if !ok {
				t.Fatalf("%d rounds make no block", rounds)
			}
			blocks = append(blocks, block)
		}
		return []Pair{{"first", "second", blocks}}
	}
	n := Needed(pairs(10), alpha)
	if o := Orders(pairs(n), alpha)[0]; len(o.FirstOn)+len(o.SecondOn) != machines {
		t.Errorf("%d rounds are needed, and with them it is %+v", n, o)
	}
	if o := Orders(pairs(n-1), alpha)[0]; len(o.FirstOn)+len(o.SecondOn) != 0 {
		t.Errorf("%d rounds are needed, and with one fewer it is %+v", n, o)
	}
}

package across

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

// A world describes simulated machines of several kinds, whose log ratios vary around center.
type world struct {
	counts          []int   // number of machines of each kind
	between, within float64 // standard deviations between kinds, and between the machines of a kind
	least, most     int     // limits of the number of rounds on a machine
	tail            float64 // fraction of the runs that a neighbour slows down
}

// center is the mean log ratio of all machines.
const center = 0.1

// A truth contains the true log ratios of one simulated sweep, and the blocks measured in it.
type truth struct {
	blocks []Block
	kinds  []float64 // log ratio of each kind
	own    []float64 // log ratio of each machine
	fresh  float64   // log ratio of a machine that was not measured
}

func (w world) draw(r *rand.Rand) (t truth) {
	t.fresh = center + w.between*r.NormFloat64() + w.within*r.NormFloat64()
	for k, n := range w.counts {
		kind := center + w.between*r.NormFloat64()
		t.kinds = append(t.kinds, kind)
		if len(w.counts) == 1 {
			t.fresh = kind + w.within*r.NormFloat64()
		}
		for m := range n {
			own := kind + w.within*r.NormFloat64()
			t.own = append(t.own, own)
			base := w.rounds(r, 0)
			head := make([]float64, len(base))
			for i, b := range base {
				head[i] = b * math.Exp(own)
			}
			noise := 0.01 + 0.04*r.Float64()
			for i := range base {
				base[i], head[i] = w.run(r, base[i], noise), w.run(r, head[i], noise)
			}
			b, ok := NewBlock(fmt.Sprint(k, "-", m), fmt.Sprint(k), base, head, 0.05)
			if !ok {
				panic("a machine without a block")
			}
			t.blocks = append(t.blocks, b)
		}
	}
	return t
}

// rounds returns simulated times of one machine, whose speed is random and drifts from round to
// round.
func (w world) rounds(r *rand.Rand, log float64) []float64 {
	speed := math.Exp(log + r.NormFloat64())
	all := make([]float64, w.least+r.IntN(w.most-w.least+1))
	for i := range all {
		all[i] = speed * math.Exp(0.1*r.NormFloat64())
	}
	return all
}

// run returns the time of one run: v with random noise, and sometimes slowed down by a neighbour.
func (w world) run(r *rand.Rand, v, noise float64) float64 {
	v *= math.Exp(noise * r.NormFloat64())
	if r.Float64() < w.tail {
		v *= 1.3 + 0.5*r.Float64()
	}
	return v
}

// target returns the true log ratio that the overall estimate should cover.
func (t truth) target(s Scope) float64 {
	switch s {
	case OneMachine:
		return t.own[0]
	case OneKind:
		return t.kinds[0]
	case TwoKinds:
		return (t.kinds[0] + t.kinds[1]) / 2
	}
	return center
}

func (e Estimate) covers(log float64) bool { return math.Log(e.Lo) <= log && log <= math.Log(e.Hi) }

// A tally counts, over all simulations, how often each interval covered the true value and how
// often a difference was claimed.
type tally struct{ overall, fresh, predicted, kinds, ofKinds, unlike, laird, n float64 }

func (w world) simulate(seed uint64, n int) (s tally) {
	r := rand.New(rand.NewPCG(seed, 20))
	for range n {
		t := w.draw(r)
		got := Combine(t.blocks, 0.05)
		s.n++
		s.overall += oneIf(got.covers(t.target(got.Scope)))
		s.laird += oneIf(laird(t.blocks).covers(t.target(got.Scope)))
		s.unlike += oneIf(got.PUnlike <= 0.05)
		if !math.IsInf(got.PredictHi, 0) {
			s.predicted++
			s.fresh += oneIf(math.Log(got.PredictLo) <= t.fresh && t.fresh <= math.Log(got.PredictHi))
		}
		for i, k := range got.Kinds {
			if k.Machines > 1 {
				s.ofKinds++
				s.kinds += oneIf(k.covers(t.kinds[i]))
			}
		}
	}
	return s
}

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// laird returns the interval by the method of DerSimonian and Laird, for comparison.
func laird(blocks []Block) Estimate {
	sum, squares := 0.0, 0.0
	all := make([]point, 0, len(blocks))
	for _, b := range blocks {
		all = append(all, point{b.log, b.variance})
		sum, squares = sum+1/b.variance, squares+1/(b.variance*b.variance)
	}
	between := max(0, (dispersion([][]point{all}, 0)-float64(len(blocks)-1))/(sum-squares/sum))
	middle, variance := mean(all, between)
	half := -distuv.UnitNormal.Quantile(0.025) * math.Sqrt(variance)
	return Estimate{Lo: math.Exp(middle - half), Hi: math.Exp(middle + half)}
}

// TestCoverage verifies the coverage of the intervals, with many machines and with few, unequal
// numbers of rounds, unequal noise, and neighbours. If the machines differ, the 95 % intervals
// cover the truth in 93 % to 97 % of sweeps. If they do not differ, the coverage may be higher. The
// interval for a new machine covers its ratio in at least 92 %. If no machine differs from the
// others, a difference is claimed in at most 5 %.
func TestCoverage(t *testing.T) {
	sessions, slack := 60, 0.09 // with so few sweeps, the rates are off by several percentage points
	if testsize.Full() {
		sessions, slack = 500, 0.02
	}
	for i, counts := range [][]int{{1, 1, 1}, {2, 1}, {3}, {1, 1, 1, 1, 1}, {2, 1, 1, 1}, {2, 2, 2, 2, 2}, {4, 2, 2, 1, 1}, {10}, {8, 8, 8, 8, 8}, {14, 10, 8, 5, 3}} {
		if !testsize.Full() && i%3 != 0 {
			continue
		}
		for j, sd := range [][2]float64{{0, 0}, {0.05, 0.02}, {0.02, 0.05}} {
			w := world{counts, sd[0], sd[1], 6, 20, 0.02}
			t.Run(fmt.Sprintf("%v %.0f %% %.0f %%", counts, 100*sd[0], 100*sd[1]), func(t *testing.T) {
				if testsize.Full() {
					testsize.OneOf(t, 3*i+j, "it simulates many sweeps")
				}
				t.Parallel()
				w.check(t, w.simulate(uint64(10*i+j), sessions), slack)
			})
		}
	}
}

// check compares the rates of a simulation with the promised ones.
func (w world) check(t *testing.T, s tally, slack float64) {
	t.Logf("interval %.3f, of kinds %.3f, a new machine %.3f; claims %.3f; DerSimonian and Laird %.3f",
		s.overall/s.n, s.kinds/s.ofKinds, s.fresh/s.predicted, s.unlike/s.n, s.laird/s.n)
	alike := w.between+w.within == 0
	most := 0.97 + slack
	if alike {
		most = 1
	}
	if c := s.overall / s.n; c < 0.93-slack || c > most {
		t.Errorf("the interval covers %.3f", c)
	}
	if c := s.kinds / s.ofKinds; s.ofKinds > 0 && (c < 0.93-slack || c > most) {
		t.Errorf("the intervals of kinds cover %.3f", c)
	}
	if c := s.fresh / s.predicted; s.predicted > 0 && c < 0.92-slack {
		t.Errorf("a new machine is in its interval %.3f", c)
	}
	if alike && s.unlike/s.n > 0.05+slack {
		t.Errorf("differences are claimed in %.3f", s.unlike/s.n)
	}
}

// TestChanceAgreement verifies that the combined interval stays wide if two machines with wide
// intervals happen to agree exactly.
func TestChanceAgreement(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 22))
	base, head := make([]float64, 10), make([]float64, 10)
	for i := range base {
		base[i], head[i] = math.Exp(0.3*r.NormFloat64()), math.Exp(0.3*r.NormFloat64())
	}
	one, _ := NewBlock("one", "kind", base, head, 0.05)
	two, _ := NewBlock("two", "kind", base, head, 0.05)
	got := Combine([]Block{one, two}, 0.05)
	width := func(e Estimate) float64 { return math.Log(e.Hi / e.Lo) }
	if own := width(Estimate{Lo: one.Own.Lo, Hi: one.Own.Hi}); width(got.Estimate) < own/2 || got.P < 0.01 {
		t.Errorf("alone %v, together %v", one.Own, got.Estimate)
	}
}

// TestInvalidBlocks verifies that NewBlock refuses values that have no ratio, and fewer than four
// rounds.
func TestInvalidBlocks(t *testing.T) {
	for what, figures := range map[string][2][]float64{
		"three rounds": {{1, 2, 3}, {1, 2, 3}},
		"zero":         {{1, 2, 0, 4}, {1, 2, 3, 4}},
		"no pairs":     {{1, 2, 3, 4}, {1, 2, 3}},
		"none":         {},
	} {
		if _, ok := NewBlock("m", "k", figures[0], figures[1], 0.05); ok {
			t.Errorf("%s is a block", what)
		}
	}
	if _, ok := NewBlock("m", "k", []float64{1, 2, 3, 4}, []float64{1, 2, 3, 4}, 0.05); !ok {
		t.Error("four equal rounds are no block")
	}
}

// TestExactRounds verifies that rounds without any spread give finite estimates, whether or not the
// machines differ.
func TestExactRounds(t *testing.T) {
	block := func(machine string, ratio float64) Block {
		b, _ := NewBlock(machine, "k"+machine[:1], []float64{1, 2, 3, 4, 5, 6}, []float64{ratio, 2 * ratio, 3 * ratio, 4 * ratio, 5 * ratio, 6 * ratio}, 0.05)
		return b
	}
	same := Combine([]Block{block("a1", 2), block("a2", 2), block("b1", 2)}, 0.05)
	if math.Abs(same.Lo-2) > 1e-3 || math.Abs(same.Hi-2) > 1e-3 || same.PUnlike < 0.05 {
		t.Errorf("%+v", same)
	}
	unlike := Combine([]Block{block("a1", 2), block("a2", 3), block("b1", 4), block("c1", 5)}, 0.05)
	if !unlike.Bounded() || unlike.PUnlike > 0.05 || !(unlike.PredictLo < unlike.Lo && unlike.PredictHi > unlike.Hi) {
		t.Errorf("%+v", unlike)
	}
}

// TestOneMachine verifies that the estimate from one machine equals the machine's own estimate, and
// that it predicts nothing about other machines.
func TestOneMachine(t *testing.T) {
	b, _ := NewBlock("m", "k", []float64{1, 1, 1, 1, 1, 1}, []float64{2, 2.1, 2.2, 2, 2.1, 2.3}, 0.05)
	r := Combine([]Block{b}, 0.05)
	if r.Scope != OneMachine || r.Ratio != b.Own.Ratio || r.Lo != b.Own.Lo || !math.IsInf(r.PredictHi, 1) || len(r.Kinds) != 1 {
		t.Errorf("%+v", r)
	}
}

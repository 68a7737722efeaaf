package across

import (
	"github.com/coppice-go/coppice/cmd/internal/stats"
	"github.com/coppice-go/coppice/cmd/internal/stats/paired"
)

// A Pair contains two contenders and, for each machine, a block with the ratio of the first
// contender to the second.
type Pair struct {
	First, Second string
	Blocks        []Block
}

// An Order states which contender of a pair is lower, and on which machines.
type Order struct {
	First, Second     string
	FirstOn, SecondOn []string // machines, and kinds with several machines, on which this contender is proven to be lower
	Open              int      // number of machines on which neither is proven to be lower
	Everywhere        int      // -1: First is lower on every machine; 1: Second is; 0: not proven
}

// Swaps reports whether each of the two contenders is proven to be lower on some machine or kind.
func (o Order) Swaps() bool { return len(o.FirstOn) > 0 && len(o.SecondOn) > 0 }

// Orders determines whether the order of each pair holds on all machines. It makes two families of
// claims, each at half of alpha, so that the probability of even one false claim is at most alpha:
//
//   - which of a pair is lower at a place (a machine, or a kind with several machines): Holm's
//     method over all pairs and places;
//   - a pair has one order on all machines: the largest p of its machines, by Holm's method over
//     all pairs.
//
// The second claim is an intersection, so it needs no adjustment for the number of machines
// (Berger, 1982); and it is impossible if two machines differ in direction.
//
// A test of the variance between machines would not answer the question: it shows that the ratios
// differ, not that the order swaps.
func Orders(pairs []Pair, alpha float64) []Order {
	var p []float64
	var at []place
	worst := make([]float64, 0, len(pairs))
	orders := make([]Order, len(pairs))
	for i, pair := range pairs {
		orders[i] = Order{First: pair.First, Second: pair.Second}
		all := places(i, pair.Blocks, alpha)
		greatest, sign := 0.0, all[0].sign
		for _, a := range all {
			p = append(p, a.p)
			if at = append(at, a); !a.machine {
				continue
			}
			if greatest = max(greatest, a.p); a.sign != sign {
				greatest = 1
			}
		}
		worst = append(worst, greatest)
		orders[i].Everywhere = sign
	}
	for i, adjusted := range stats.Holm(p) {
		orders[at[i].pair].add(at[i], adjusted <= alpha/2)
	}
	for i, adjusted := range stats.Holm(worst) {
		if adjusted > alpha/2 {
			orders[i].Everywhere = 0
		}
	}
	return orders
}

// Needed returns a number of rounds on one machine that is enough for Orders to prove the order
// of a pair on that machine, if all these rounds agree. A sweep of many machines makes many
// tests, so it needs more rounds on each.
func Needed(pairs []Pair, alpha float64) int {
	tests := 0
	for i, pair := range pairs {
		tests += len(places(i, pair.Blocks, alpha))
	}
	return paired.Fewest(alpha / 2 / float64(max(1, tests)))
}

// A place is a machine or a kind on which one contender of a pair may be lower.
type place struct {
	pair    int
	name    string
	machine bool // false for a kind
	p       float64
	sign    int // -1 if the first contender is lower
}

// places returns the machines of a pair, followed by the kinds with several machines if there are
// two kinds or more.
func places(pair int, blocks []Block, alpha float64) (all []place) {
	for _, b := range blocks {
		all = append(all, place{pair, b.Machine, true, b.Own.P, sign(b.Own.Ratio)})
	}
	if len(blocks) < 2 {
		return all
	}
	kinds := newNest(blocks).kinds(blocks, alpha)
	if len(kinds) == 1 {
		return all // a single kind has the same estimate as all machines together
	}
	for _, k := range kinds {
		if k.Machines > 1 {
			all = append(all, place{pair, k.Name, false, k.P, sign(k.Ratio)})
		}
	}
	return all
}

func sign(ratio float64) int {
	if ratio < 1 {
		return -1
	}
	return 1
}

// add records the result for one place.
func (o *Order) add(at place, proven bool) {
	switch {
	case !proven && at.machine:
		o.Open++
	case !proven:
	case at.sign < 0:
		o.FirstOn = append(o.FirstOn, at.name)
	default:
		o.SecondOn = append(o.SecondOn, at.name)
	}
}

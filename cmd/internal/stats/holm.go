package stats

import (
	"cmp"
	"slices"
)

// Holm adjusts the p values of several tests, in their order, such that the probability of even one
// false alarm among all tests stays below alpha where those with an adjusted p of at most alpha
// count (Holm, A Simple Sequentially Rejective Multiple Test Procedure, 1979). The tests may depend
// on each other.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	adjusted := make([]float64, len(p))
	least := 0.0
	for done, i := range order {
		least = max(least, min(1, float64(len(p)-done)*p[i]))
		adjusted[i] = least
	}
	return adjusted
}

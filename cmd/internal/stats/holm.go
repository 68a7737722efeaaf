package stats

import (
	"cmp"
	"slices"
)

// Holm returns the adjusted p values of several tests, in the order of the tests. If a test
// counts as significant whenever its adjusted p is at most alpha, the probability of even one
// false alarm among all tests is at most alpha (Holm, A Simple Sequentially Rejective Multiple
// Test Procedure, Scandinavian Journal of Statistics 6, 1979).
//
// Why Holm and not Bonferroni: both make the same promise, and Holm rejects at least as much. Why
// not Hochberg's: the CPU time, the wall time and the memory of one benchmark depend on each other,
// and Holm's bound holds for any dependence. Why not Benjamini and Hochberg's: it bounds the share
// of false claims among all claims, and one false claim already gives a wrong verdict.
//
// The smallest p is multiplied by the number of tests, the next one by one less. An adjusted p
// is never below the one before it: no test is significant if one with a smaller p is not.
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

package stats

import (
	"cmp"
	"slices"
)

// Holm returns the adjusted p values of several tests, in the order of the tests. If every test
// with an adjusted p of at most alpha is considered significant, the probability of even one false
// alarm among all tests is at most alpha (Holm, A Simple Sequentially Rejective Multiple Test
// Procedure, Scandinavian Journal of Statistics 6, 1979).
//
// Bonferroni's method gives the same guarantee, but Holm's method rejects at least as many
// hypotheses. Hochberg's method is unsuitable because the CPU time, the wall time and the memory of
// one benchmark depend on each other; Holm's bound holds for any dependence. The method of
// Benjamini and Hochberg is unsuitable because it bounds the share of false claims among all
// claims, and one false claim already gives a wrong verdict.
//
// The smallest p is multiplied by the number of tests, the second smallest by that number minus 1,
// and so on. An adjusted p is never smaller than the one before it, so a test is not significant if
// a test with a smaller p is not.
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

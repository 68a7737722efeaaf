package stats

// A Look is an interim analysis: the pairs measured so far are compared, and the measurement may
// stop.
type Look struct {
	N     int     // number of pairs so far
	Alpha float64 // significance level of the comparison at this look
}

// Looks returns the looks of a session that may stop early: after 10, 20, 40 and 80 pairs. The
// parameter most is the maximum number of pairs, or 0 for no maximum. Looks after more pairs are
// left out, except for the first.
//
// A measurement that tests after each look and stops at the first success has a chance of a false
// alarm at each look. So each look spends an equal part of alpha. The rate of false alarms of the
// whole measurement is then at most alpha, wherever it stops (Bonferroni's inequality).
//
// A plan that saves alpha for the later looks would be worse. With 0.5 % for the first look, that
// look proves nothing: ten pairs that all differ in one direction have p = 0.002, and Holm's
// adjustment for three metrics makes it 0.006. Each look doubles the pairs, because the width of an
// interval falls with the square root of their number: a look after a few more pairs would spend
// alpha on almost the same interval.
func Looks(alpha float64, most int) []Look {
	looks := []Look{{N: 10}, {N: 20}, {N: 40}, {N: 80}}
	for most > 0 && len(looks) > 1 && looks[len(looks)-1].N > most {
		looks = looks[:len(looks)-1]
	}
	for i := range looks {
		looks[i].Alpha = alpha / float64(len(looks))
	}
	return looks
}

package stats

// A Look is a moment at which pairs are compared while measuring goes on.
type Look struct {
	N     int     // pairs so far
	Alpha float64 // the level of the comparison at this look
}

// Looks returns the plan of a session that may stop early: after 10, 20, 40 and 80 pairs, as far as
// these are at most most; 0 is no bound. Each look spends an equal part of alpha, so the rate of
// false alarms of the whole session is at most alpha, wherever it stops. (A plan that saves alpha
// for the later looks, 0.5 % for the first one, can prove nothing there: ten pairs of one direction
// have p = 0.002, which Holm's adjustment for three metrics makes 0.006.)
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

package witness

// coppiceWitnessPart returns part, one of several slices that share an array, after checking
// that it is whole[from:to] and that its capacity ends there, so that an append to it cannot
// write into the next slice.
func coppiceWitnessPart[S ~[]E, E any](part, whole S, from, to int) S {
	fits := from >= 0 && to <= cap(whole) && cap(part) == to-from
	if !fits || cap(part) > 0 && &part[:1][0] != &whole[:cap(whole)][from] {
		coppiceWitnessViolation("a slice that shares an array with others is not the part of it that it must be", coppiceWitnessPlace{})
	}
	return part
}

package witness

// coppiceWitnessOwner returns the owner, after checking that it is not nil.
func coppiceWitnessOwner[T any](p *T, owner string) *T {
	coppiceWitnessHas(p != nil, owner)
	return p
}

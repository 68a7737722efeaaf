package witness

// coppiceWitnessOwner returns the owner, which is not nil.
func coppiceWitnessOwner[T any](p *T, owner string) *T {
	coppiceWitnessHas(p != nil, owner)
	return p
}

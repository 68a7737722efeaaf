//go:build !coppice_checks && !race

package checks

// Enabled is false because this is not a checked build. Nothing in this package runs.
const Enabled = false

// A Guard is empty except in checked builds.
type Guard struct{}

// Enter does nothing except in checked builds.
func (*Guard) Enter(string) {}

// Leave does nothing except in checked builds.
func (*Guard) Leave() {}

// A Budget is empty except in checked builds.
type Budget struct{}

// Affords returns false except in checked builds.
func (*Budget) Affords(int) bool { return false }

//go:build !coppice_checks && !race

package checks

// Enabled is false: this is not a checked build, and nothing in this package runs.
const Enabled = false

// A Guard is empty outside checked builds.
type Guard struct{}

// Enter does nothing outside checked builds.
func (*Guard) Enter(string) {}

// Leave does nothing outside checked builds.
func (*Guard) Leave() {}

// A Budget is empty outside checked builds.
type Budget struct{}

// Affords is false outside checked builds.
func (*Budget) Affords(int) bool { return false }

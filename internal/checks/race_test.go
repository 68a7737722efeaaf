//go:build race

package checks_test

import (
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
)

func TestRaceBuildsAreChecked(t *testing.T) {
	if !checks.Enabled {
		t.Error("a build with -race is no checked build")
	}
}

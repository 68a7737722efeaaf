package called_test

import (
	"testing"

	"github.com/coppice-go/coppice/internal/called"
)

// Kind has the same structure as a container type, but is in a test file, which is not considered
// part of a package.
type Kind struct{}

func (*Kind) Call() string { return called.Method() }

// If no method of the package is on the stack, Method returns only the package name. The tests of
// the containers cover the other cases.
func TestWithoutAMethod(t *testing.T) {
	if got := new(Kind).Call(); got != "called_test" {
		t.Errorf("called by %q", got)
	}
}

package called_test

import (
	"testing"

	"github.com/coppice-go/coppice/internal/called"
)

// A Kind has the form of a container, in a file of tests, which is not part of a package.
type Kind struct{}

func (*Kind) Call() string { return called.Method() }

// Where no method of the package is on the stack, its name is all there is to say. The tests of
// containers have the rest.
func TestWithoutAMethod(t *testing.T) {
	if got := new(Kind).Call(); got != "called_test" {
		t.Errorf("called by %q", got)
	}
}

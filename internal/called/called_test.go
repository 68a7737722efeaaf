package called_test

import (
	"testing"

	"github.com/coppice-go/coppice/internal/called"
)

// A Kind has the form of a container, in a test file, which is not considered part of a package.
type Kind struct{}

func (*Kind) Call() string { return called.Method() }

// If no method of the package is on the stack, only its name can be reported. The tests of
// containers cover the rest.
func TestWithoutAMethod(t *testing.T) {
	if got := new(Kind).Call(); got != "called_test" {
		t.Errorf("called by %q", got)
	}
}

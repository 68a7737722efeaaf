package goroot_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/goroot"
)

// TestHas verifies that Has recognizes every standard library package of the Go release that runs
// the test.
func TestHas(t *testing.T) {
	out, err := exec.Command("go", "list", "std").Output()
	if err != nil {
		t.Skip(err)
	}
	for _, path := range strings.Fields(string(out)) {
		if !goroot.Has(path) {
			t.Errorf("%s is of the standard library; add its first element", path)
		}
	}
	for _, path := range []string{"example.org/fmt", "mine", "mine/fmt", "main", "command-line-arguments"} {
		if goroot.Has(path) {
			t.Errorf("%s is not of the standard library", path)
		}
	}
}

//go:build unix

package forest_test

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/forest"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
)

// A named pipe must be rejected without opening it, because opening it would block until it has a
// writer.
func TestPipesAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	_, any := forest.OpenAny(path, flat.LoadLimits{})
	_, typed := forest.Open[exprflat.Tree](path, flat.LoadLimits{})
	_, appended := forest.Append[exprflat.Tree](path, forest.Options{})
	for _, err := range []error{any, typed, appended} {
		if !errors.Is(err, forest.ErrInvalid) || !errors.Is(err, flat.ErrInvalid) {
			t.Error(err)
		}
	}
}

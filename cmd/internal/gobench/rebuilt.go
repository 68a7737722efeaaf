package gobench

import (
	"context"
	"maps"
	"os"
	"path/filepath"

	"github.com/coppice-go/coppice/cmd/internal/meter"
)

// Rebuilt builds the test binary of a package again, with additional environment variables for the
// go command, such as GOAMD64=v3 or GOTOOLCHAIN=go1.27.4. It returns a tree with this binary. The
// parameter name is the name of the folder for the binary.
func (t *Tree) Rebuilt(ctx context.Context, name, path string, env map[string]string) (*Tree, error) {
	made := *t
	made.Folder = filepath.Join(t.Folder, name)
	if err := os.MkdirAll(made.Folder, 0o777); err != nil {
		return nil, err
	}
	made.Binaries, made.keepers = nil, nil
	made.Extra = maps.Clone(t.Extra)
	if made.Extra == nil {
		made.Extra = map[string]string{}
	}
	var chosen []string
	for key, value := range env {
		if key == "GOTOOLCHAIN" { // the meter must match this toolchain
			chosen = append(chosen, key+"="+value)
		} else {
			made.Extra[key] = value
		}
	}
	if !t.Plain {
		var err error
		if made.Overlay, err = meter.Make(ctx, made.Folder, t.Dir, chosen, nil); err != nil {
			return nil, err
		}
	}
	if err := made.ReadSettings(ctx); err != nil {
		return nil, err
	}
	return &made, made.Build(ctx, []string{path})
}

package rewrite

import (
	"embed"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/rewrite/edits"
)

// witnessSources are the files that the witness form of a change adds to the package.
//
//go:embed witness/*.go
var witnessSources embed.FS

// witnessFile is the prefix of the names of the files that the witness form adds.
const witnessFile = "coppice_witness_"

// AddWitness adds files of the witness form to a set of edits: the common files, and the other
// files with the given names.
func AddWitness(set *edits.Set, pkg *packages.Package, others ...string) error {
	for _, name := range append([]string{"witness.go", "goroutines.go", "violation.go", "activations.go", "poison_unsafe.go"}, others...) {
		file, text, err := witnessText(pkg, name)
		if err != nil {
			return err
		}
		if err := set.ComposeWitness(file, "", text); err != nil {
			return err
		}
	}
	return nil
}

// AddWitnessSlab adds to a set of edits the type that replaces slab.Chunks in the witness form,
// with the given methods.
func AddWitnessSlab(set *edits.Set, pkg *packages.Package, methods ...string) error {
	file, text, err := witnessText(pkg, "slab.go")
	if err != nil {
		return err
	}
	blocks := strings.Split(text, "\n"+slabMethod)
	if err := set.ComposeWitness(file, "", blocks[0]); err != nil {
		return err
	}
	for _, block := range blocks[1:] {
		method, _, _ := strings.Cut(block, "(")
		if !slices.Contains(methods, method) {
			continue
		}
		if err := set.ComposeWitness(file, method, "\n"+slabMethod+block); err != nil {
			return err
		}
	}
	return nil
}

// slabMethod is the beginning of each method declaration of the watched slab.
const slabMethod = "func (c *coppiceWitnessSlab[T]) "

// witnessText returns the source of a file of the witness form for a package, and the name that the
// file has in that package.
func witnessText(pkg *packages.Package, name string) (file, text string, err error) {
	source, err := witnessSources.ReadFile("witness/" + name)
	if err != nil {
		return "", "", err
	}
	text = strings.Replace(string(source), "package witness", "package "+pkg.Types.Name(), 1)
	return filepath.Join(filepath.Dir(pkg.GoFiles[0]), witnessFile+name), text, nil
}

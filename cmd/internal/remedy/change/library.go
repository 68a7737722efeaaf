package change

import (
	"os"

	"golang.org/x/mod/modfile"
)

// libraryPath is the module that changes may import. No change makes a module depend on it.
const libraryPath = "github.com/coppice-go/coppice"

// HasLibrary reports whether the module of a go.mod file requires Coppice already, or is it.
func HasLibrary(goMod string) bool {
	data, err := os.ReadFile(goMod)
	if err != nil {
		return false
	}
	file, err := modfile.ParseLax(goMod, data, nil)
	if err != nil {
		return false
	}
	for _, r := range file.Require {
		if r.Mod.Path == libraryPath {
			return true
		}
	}
	return file.Module != nil && file.Module.Mod.Path == libraryPath
}

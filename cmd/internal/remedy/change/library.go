package change

import (
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/mod/modfile"

	"github.com/coppice-go/coppice/cmd"
)

// A Module describes the user's module, as far as its go.mod file states. A change may import
// packages of Coppice, but no change adds Coppice as a dependency. The zero value represents an
// unknown module.
type Module struct {
	Go      string // version in the module's go directive, such as 1.18
	Library bool   // whether the module already requires Coppice, or is Coppice
	Needs   string // version in Coppice's go directive, the minimum for modules that require it
}

// HasLibrary reports whether the module of a go.mod file already requires Coppice, or is Coppice.
func HasLibrary(goMod string) bool {
	m, _ := readModule(goMod)
	return m.Library
}

// ModuleAround returns the module that contains dir. If no go.mod file in dir or above it can be
// read, the result is an unknown module in which only Needs is set.
func ModuleAround(dir string) Module {
	for dir != "" {
		if m, ok := readModule(filepath.Join(dir, "go.mod")); ok {
			m.Needs = needs()
			return m
		}
		if dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	return Module{Needs: needs()}
}

// withoutLine is the language version of a module whose go.mod file has no go line.
const withoutLine = "1.16"

// readModule reads a go.mod file.
func readModule(goMod string) (m Module, ok bool) {
	data, err := os.ReadFile(goMod)
	if err != nil {
		return m, false
	}
	file, err := modfile.ParseLax(goMod, data, nil)
	if err != nil {
		return m, false
	}
	m.Go = withoutLine
	if file.Go != nil {
		m.Go = file.Go.Version
	}
	for _, r := range file.Require {
		m.Library = m.Library || r.Mod.Path == cmd.Library
	}
	m.Library = m.Library || file.Module != nil && file.Module.Mod.Path == cmd.Library
	return m, true
}

// needs returns the Go version in the go.mod file of the tools. A test checks that the library has
// the same version.
var needs = sync.OnceValue(func() string {
	file, err := modfile.ParseLax("go.mod", cmd.Mod, nil)
	if err != nil || file.Go == nil {
		panic("change.needs: the go.mod file of the tools cannot be read")
	}
	return file.Go.Version
})

package runner

import (
	"os"
	"os/exec"
	"path/filepath"

	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/process"
)

// Default search folders of the linker and the compiler. An asterisk matches the folder of an
// architecture, such as x86_64-linux-gnu.
var (
	libraryFolders = []string{"/lib", "/lib/*", "/lib64", "/usr/lib", "/usr/lib/*", "/usr/lib64", "/usr/local/lib"}
	headerFolders  = []string{"/usr/include", "/usr/include/*-*-*", "/usr/local/include"}
)

// Machine is the Executor for the local machine. It executes real processes.
type Machine struct{ process.System }

// Find reports whether a command is in PATH, or whether a library or a header is in one of the
// default folders.
func (Machine) Find(need experiment.Need) bool {
	switch {
	case need.Library != "":
		return inAny(libraryFolders, need.Library)
	case need.Header != "":
		return inAny(headerFolders, need.Header)
	default:
		_, err := exec.LookPath(need.Command)
		return err == nil
	}
}

// inAny reports whether any folder that matches one of the patterns contains the named file.
func inAny(folders []string, name string) bool {
	for _, pattern := range folders {
		matches, err := filepath.Glob(pattern)
		if err != nil {
			continue
		}
		for _, folder := range matches {
			if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
				return true
			}
		}
	}
	return false
}

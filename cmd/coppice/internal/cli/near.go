package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/nearest"
)

// MisspeltValue returns the error for a flag whose value is not one of a few names. The parameter
// what describes the allowed names.
func MisspeltValue(flag, value, what string, names ...string) error {
	return Usagef("invalid %s %s: must be %s%s", flag, value, what, Meant(strings.Trim(value, `"`), names))
}

// Meant returns the end of a line that suggests a similar name, or "" if there is none. It also
// returns "" for a name that is in the list: such a name is spelt correctly, so the error has a
// different reason.
func Meant(name string, names []string) string {
	hint := strings.TrimSpace(nearest.Hint(name, names))
	if hint == "" || slices.Contains(names, name) {
		return ""
	}
	return "; " + hint
}

// NearFolder returns the hint for a folder that does not exist.
func NearFolder(dir string) string {
	if _, err := os.Stat(dir); err == nil {
		return ""
	}
	parent, name := filepath.Split(strings.TrimRight(dir, "/"))
	entries, _ := os.ReadDir(filepath.Clean(parent))
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	hint := strings.TrimSpace(nearest.Hint(name, names))
	if hint == "" {
		return ""
	}
	return "; " + strings.Replace(hint, "did you mean ", "did you mean "+parent, 1)
}

package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/nearest"
)

// MisspeltValue returns a usage error for a flag whose value is not one of the allowed names. The
// parameter what describes these names.
func MisspeltValue(flag, value, what string, names ...string) error {
	return Usagef("invalid %s %s: must be %s%s", flag, value, what, Meant(strings.Trim(value, `"`), names))
}

// Meant returns the end of an error message that suggests a similar name, or "" if there is none.
// It also returns "" if the list contains the name, because the name is then spelt correctly, and
// the error has a different cause.
func Meant(name string, names []string) string {
	hint := strings.TrimSpace(nearest.Hint(name, names))
	if hint == "" || slices.Contains(names, name) {
		return ""
	}
	return "; " + hint
}

// NearFolder returns a hint that suggests a similar name if the folder does not exist.
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

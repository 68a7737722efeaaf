package reach

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Linked returns the first place that calls a function of a package by its name for the linker: assembly, //go:linkname and //export. It is
// empty if there is none.
func (m *Module) Linked(pkgPath, function string) (where string) {
	full := regexp.QuoteMeta(pkgPath + "." + function)
	pull := regexp.MustCompile(`^//go:linkname\s+\S+\s+` + full + `\s*$`)
	push := regexp.MustCompile(`^//(go:linkname|export)\s+` + regexp.QuoteMeta(function) + `(\s|$)`)
	symbol := regexp.MustCompile(`(·|\b)` + regexp.QuoteMeta(function) + `\b`)
	for _, file := range m.files {
		own := file.pkg == pkgPath
		pattern := pull
		switch {
		case own && !strings.HasSuffix(file.name, ".go"):
			pattern = symbol
		case own:
			pattern = push
		case !strings.HasSuffix(file.name, ".go"):
			continue
		}
		if line := grep(file.name, pattern); line > 0 {
			return fmt.Sprintf("%s:%d", filepath.Base(file.name), line)
		}
	}
	return ""
}

// grep returns the number of the first line of a file that matches, or 0.
func grep(name string, pattern *regexp.Regexp) int {
	data, err := os.ReadFile(name)
	if err != nil {
		return 0
	}
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		if pattern.MatchString(strings.TrimRight(line, "\r\n")) {
			return number
		}
	}
	return 0
}

package builds

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestUnlisted verifies that files that the go command does not list form packages if they import
// the changed package: each program with the other files of its package or, without a program, all
// files of a package. All other files are ignored, whatever they contain.
func TestUnlisted(t *testing.T) {
	const imports = "import _ \"example.com/m\"\n"
	folder := newModule(t, map[string]string{
		"parser.go":             owner,
		"use/use.go":            "package use\n\n" + imports,
		"gen.go":                "//go:build ignore\n\npackage main\n\n" + imports + "func main() {}\n",
		"alone.go":              "//go:build ignore\n\npackage main\n\nimport _ \"fmt\"\n\nfunc main() {}\n",
		"more.go":               "//go:build ignore\n\npackage m\n",
		"use/more.go":           "//go:build ignore\n\npackage use\n",
		"other/other.go":        "package other\n",
		"other/more.go":         "//go:build ignore\n\npackage other\n",
		"testdata/a.go":         "package main\n\nimport _ \"example.com/m/use\"\n\nfunc main() {}\n",
		"testdata/b.go":         "package main\n\n" + imports + "func main() {}\n",
		"testdata/both.go":      "package main\n",
		"testdata/b_windows.go": "package main\n\n" + imports,
		"testdata/deep/c.go":    "package c\n\nimport _ \"example.com/m/testdata/lib\"\n",
		"testdata/lib/lib.go":   "package lib\n\n" + imports,
		"testdata/bad/x.go":     "package {\n\nimport \"example.com/m\"\n",
		"testdata/bad/y.go":     "package {\n\nimport \"fmt\"\n",
		"_tools/_t_test.go":     "package tools\n\n" + imports,
		".hidden/h.go":          "package h\n\nimport \"C\"\n\n" + imports,
		"vendor/v/v.go":         "package v\n\n" + imports,
		"nested/go.mod":         "module example.com/nested\n",
		"nested/n.go":           "package n\n\n" + imports,
		"skip/s.go":             "package s\n\n" + imports,
		"go.mod":                "module example.com/m\n\ngo 1.26\n\nignore ./skip\n",
	})
	u := mustLoad(t, folder, "example.com/m").Unlisted
	groups := map[string][]string{}
	for name, real := range u.Names {
		groups[filepath.Dir(name)] = append(groups[filepath.Dir(name)], short(t, folder, real))
	}
	got := make([]string, 0, len(groups))
	for _, files := range groups {
		slices.Sort(files)
		got = append(got, strings.Join(files, " "))
	}
	slices.Sort(got)
	want := []string{"_tools/_t_test.go", "gen.go", "skip/s.go", "testdata/a.go testdata/both.go", "testdata/b.go testdata/both.go", "testdata/bad/x.go testdata/bad/y.go",
		"testdata/deep/c.go", "testdata/lib/lib.go"}
	if !slices.Equal(got, want) || len(u.Folders) != len(want) {
		t.Errorf("packages are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	dark := make([]string, 0, len(u.Dark))
	for _, name := range u.Dark {
		dark = append(dark, short(t, folder, name))
	}
	slices.Sort(dark)
	if want := []string{".hidden/h.go", "more.go", "testdata/b_windows.go", "use/more.go"}; !slices.Equal(dark, want) {
		t.Errorf("dark are %v, want %v", dark, want)
	}
}

func short(t *testing.T, folder, name string) string {
	t.Helper()
	rel, err := filepath.Rel(folder, name)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.ToSlash(rel)
}

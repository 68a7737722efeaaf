package tidy

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestRepository verifies that this repository complies with the rules.
func TestRepository(t *testing.T) {
	tree, err := Read(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	if len(tree.Go) < 20 {
		t.Fatalf("only %d Go files found: is this the root?", len(tree.Go))
	}
	for _, c := range Check(tree) {
		t.Error(c)
	}
}

// TestRulesDetectViolations applies the rules to small trees that violate them. Each tree is an
// archive whose first file, "want", lists the expected complaints without their suggested fixes.
// Every rule must be violated by at least one tree.
func TestRulesDetectViolations(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no trees: %v", err)
	}
	bites := make([]bool, len(rules))
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			// The archives are part of this repository, so they must not contain a foreign path
			// either.
			data = bytes.ReplaceAll(data, []byte("HOMEDIR"), []byte(foreign[1]))
			archive := txtar.Parse(data)
			if archive.Files[0].Name != "want" {
				t.Fatal("the first file is not want")
			}
			want := strings.TrimSpace(string(archive.Files[0].Data))
			archive.Files = archive.Files[1:]
			files, err := txtar.FS(archive)
			if err != nil {
				t.Fatal(err)
			}
			tree, err := Read(files)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range Check(tree) {
				what, fix, _ := strings.Cut(c.String(), "; ")
				if fix == "" {
					t.Errorf("complaint %q names no fix", c)
				}
				got = append(got, what)
			}
			if strings.Join(got, "\n") != want {
				t.Errorf("complaints:\n%s\n\nwant:\n%s", strings.Join(got, "\n"), want)
			}
			for i, rule := range rules {
				bites[i] = bites[i] || len(rule(tree)) > 0
			}
		})
	}
	for i, bite := range bites {
		if !bite {
			t.Errorf("no tree in testdata breaks the rule %s; add one", runtime.FuncForPC(reflect.ValueOf(rules[i]).Pointer()).Name())
		}
	}
}

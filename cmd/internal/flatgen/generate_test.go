package flatgen

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/flatgen/schema"
)

// What is checked in is what the schemas make.
func TestGeneratedPackagesAreCurrent(t *testing.T) {
	for dir, inCpp := range map[string]bool{
		"flat/internal/example/expr": true, "flat/internal/cases/every": true, "flat/internal/cases/forty": true, "flat/internal/cases/six": false,
		"flat/internal/cases/dag": true, "flat/internal/cases/positions": true, "flat/internal/cases/ast": true, "flat/internal/cases/links": true, "flat/internal/cases/narrow": true, "flat/internal/cases/version1": true, "flat/internal/cases/version2": true,
		"workloads/adt/go/node": false, "workloads/binary-trees/go/node": false, "workloads/goast/go/syntax": false, "workloads/json/go/dom": false, "workloads/jsast/syntax": false,
	} {
		name := filepath.Base(dir) + "flat"
		o := Options{Dir: filepath.Join("../../..", dir), Out: "../" + name, Patterns: []string{"."}, Check: true}
		if inCpp {
			o.Cpp = "../cpp/" + name + ".hpp"
			if name == "exprflat" {
				o.Cpp = "../exprflat/exprflat.hpp"
			}
		}
		if err := Generate(o); err != nil {
			t.Errorf("%v (in %s)", err, dir)
		}
	}
}

func TestTooManyVariantsAreRefused(t *testing.T) {
	names := make([]string, 257)
	for i := range names {
		names[i] = fmt.Sprintf("N%d", i)
	}
	refused(t, names, "many.go:1028:6: more than 255 variants; merge some into one with a field that tells them apart")
}

// A variant has a method of the Builder, which may have none of that name already.
func TestVariantsWithNamesOfMethodsAreRefused(t *testing.T) {
	for _, name := range schema.BuilderMethods {
		refused(t, []string{"Other", name}, "the variant "+name+" would hide the Builder's method of that name; rename it")
	}
}

// refused fails the test unless a schema with such variants is refused with an error that says what is wanted.
func refused(t *testing.T, variants []string, want string) {
	t.Helper()
	dir := t.TempDir()
	code := "// Package many is too much.\npackage many\n\n//flat:sum\n//flat:root Node\ntype Node interface{ isNode() }\n"
	for _, name := range variants {
		code += fmt.Sprintf("\ntype %s struct{}\n\nfunc (*%s) isNode() {}\n", name, name)
	}
	for name, data := range map[string]string{"many.go": code, "go.mod": "module example.com/many\n\ngo 1.26.0\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	err := Generate(Options{Dir: dir, Patterns: []string{"."}})
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

func TestSingular(t *testing.T) {
	for plural, want := range map[string]string{
		"Args": "Arg", "Entries": "Entry", "Boxes": "Box", "Classes": "Class", "Data": "DataAt", "Class": "ClassAt",
		"Matches": "Match", "Dishes": "Dish", "Ties": "Tie", "S": "SAt", "Cases": "Case", "Values": "Value",
	} {
		if got := schema.Singular(plural); got != want {
			t.Errorf("one of %s is %s, want %s", plural, got, want)
		}
	}
}

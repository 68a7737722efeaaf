package flatgen

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is checked in is what the schemas make.
func TestGeneratedPackagesAreCurrent(t *testing.T) {
	for dir, inCpp := range map[string]bool{
		"flat/internal/example/expr": true, "flat/internal/cases/every": true, "flat/internal/cases/forty": true, "flat/internal/cases/six": false,
		"flat/internal/cases/dag": true, "flat/internal/cases/ast": true, "flat/internal/cases/links": true, "flat/internal/cases/narrow": true, "flat/internal/cases/version1": true, "flat/internal/cases/version2": true,
		"workloads/adt/go/node": false, "workloads/binary-trees/go/node": false, "workloads/goast/go/syntax": false, "workloads/json/go/dom": false, "workloads/jsast/syntax": false,
	} {
		name := filepath.Base(dir) + "flat"
		o := Options{Dir: filepath.Join("../../..", dir), Out: "../" + name, Patterns: []string{"."}, Check: true}
		if inCpp {
			o.Cpp = "../" + name + "/" + name + ".hpp"
		}
		if err := Generate(o); err != nil {
			t.Errorf("%v (in %s)", err, dir)
		}
	}
}

func TestTooManyVariantsAreRefused(t *testing.T) {
	dir := t.TempDir()
	code := "// Package many is too much.\npackage many\n\n//flat:sum\n//flat:root Node\ntype Node interface{ isNode() }\n"
	for i := range 257 {
		code += fmt.Sprintf("\ntype N%d struct{}\n\nfunc (*N%d) isNode() {}\n", i, i)
	}
	for name, data := range map[string]string{"many.go": code, "go.mod": "module example.com/many\n\ngo 1.26.0\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	err := Generate(Options{Dir: dir, Patterns: []string{"."}})
	want := "many.go:1028:6: more than 255 variants; merge some into one with a field that tells them apart"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

func TestSingular(t *testing.T) {
	for plural, want := range map[string]string{
		"Args": "Arg", "Entries": "Entry", "Boxes": "Box", "Classes": "Class", "Data": "DataAt", "Class": "ClassAt",
		"Matches": "Match", "Dishes": "Dish", "Ties": "Tie", "S": "SAt", "Cases": "Case", "Values": "Value",
	} {
		if got := singular(plural); got != want {
			t.Errorf("one of %s is %s, want %s", plural, got, want)
		}
	}
}

func TestParameterNames(t *testing.T) {
	m := &Model{Package: "expr"}
	for name, want := range map[string]string{
		"Value": "value", "L": "l", "ID": "id", "URLPath": "urlPath", "Type": "type_", "Len": "len_", "N": "n_",
		"Expr": "expr_", "F32": "f32", "XY": "xy", "String": "string_", "Fn": "fn",
	} {
		if got := m.parameter(name); got != want {
			t.Errorf("the parameter for %s is %s, want %s", name, got, want)
		}
	}
}

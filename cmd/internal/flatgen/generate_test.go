package flatgen

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/flatgen/cpp"
	"github.com/coppice-go/coppice/cmd/internal/flatgen/schema"
	"github.com/coppice-go/coppice/cmd/internal/lineend"
)

// TestGeneratedPackagesAreCurrent verifies that the generated files in the repository match their
// schemas.
func TestGeneratedPackagesAreCurrent(t *testing.T) {
	const example = "flat/internal/example/expr"
	for _, dir := range []string{example, "workloads/adt/go/node", "workloads/binary-trees/go/node", "workloads/goast/go/syntax", "workloads/json/go/dom"} {
		o := Options{Dir: filepath.Join("../../..", dir), Out: "../" + filepath.Base(dir) + "flat", Patterns: []string{"."}, Check: true}
		if err := Generate(o); err != nil {
			t.Errorf("%v (in %s)", err, dir)
		}
	}
	models, err := schema.Load(filepath.Join("../../..", example), []string{"."})
	if err != nil {
		t.Fatal(err)
	}
	want, err := cpp.Emit(models[0], "exprflat", cpp.Including)
	if err != nil {
		t.Fatal(err)
	}
	const header = example + "flat/exprflat.hpp"
	if is, err := os.ReadFile(filepath.Join("../../..", header)); err != nil || !lineend.Equal(is, want) {
		t.Errorf("%s is not what the schema makes (%v); run coppice flat again", header, err)
	}
}

func TestTooManyVariantsAreRefused(t *testing.T) {
	names := make([]string, 257)
	for i := range names {
		names[i] = fmt.Sprintf("N%d", i)
	}
	refused(t, names, "many.go:1028:6: more than 255 variants; merge some into one with a field that distinguishes them")
}

// TestVariantsWithNamesOfMethodsAreRefused verifies that a variant is rejected if the Builder
// already has a method of that name, because the Builder gets a method for each variant.
func TestVariantsWithNamesOfMethodsAreRefused(t *testing.T) {
	for _, name := range schema.BuilderMethods {
		refused(t, []string{"Other", name}, "the variant "+name+" would hide the Builder's method of that name; rename it")
	}
}

// refused fails the test unless a schema with the given variants is rejected with an error that
// contains want.
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

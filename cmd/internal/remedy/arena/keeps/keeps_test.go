package keeps

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestWhere analyzes the functions in testdata/cases. The doc comment of each function lists the
// memory that may escape from it.
func TestWhere(t *testing.T) {
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax}, "./testdata/cases")
	if err != nil || packages.PrintErrors(loaded) > 0 {
		t.Fatal(err)
	}
	pkg := loaded[0]
	f, err := Look(pkg, nil)
	if err != nil {
		t.Fatal(err)
	}
	makes := func(names ...string) map[Memory]bool {
		made := map[Memory]bool{ListOf(types.Typ[types.Uint8]): true}
		for _, name := range names {
			of := pkg.Types.Scope().Lookup(name).Type()
			made[ValueOf(of)], made[ListOf(types.NewPointer(of))] = true, true
		}
		return made
	}
	cases := 0
	for _, decl := range pkg.Syntax[0].Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Doc == nil {
			continue
		}
		what, want, _ := strings.Cut(strings.TrimSpace(fn.Doc.Text()), ": ")
		cases++
		made := makes("Leaf", "Node")
		if strings.Contains(want, "Tree") { // only here: other functions would also keep a Tree
			made = makes("Leaf", "Node", "Tree")
		}
		why, out := f.Where(fn.Name.Name, made, pkg.Types.Scope().Lookup("maker").Type())
		var got []string
		for m := range out {
			got = append(got, strings.ReplaceAll(string(m), pkg.PkgPath+".", ""))
		}
		slices.Sort(got)
		all := strings.Split(want, ", ")
		slices.Sort(all)
		switch {
		case what == "never":
			if !strings.HasPrefix(why, want) || len(out) > 0 {
				t.Errorf("%s: %s %v, want %s", fn.Name.Name, why, got, want)
			}
		case want == "nothing":
			if why != "" {
				t.Errorf("%s: %s %v, want nothing", fn.Name.Name, why, got)
			}
		case !slices.Equal(got, all) || why == "":
			t.Errorf("%s: %q %v, want %s", fn.Name.Name, why, got, want)
		}
	}
	if cases < 20 {
		t.Errorf("%d cases", cases)
	}
}

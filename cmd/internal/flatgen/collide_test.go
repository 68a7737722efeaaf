package flatgen

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/flatgen/cpp"
	"github.com/coppice-go/coppice/cmd/internal/flatgen/golang"
	"github.com/coppice-go/coppice/cmd/internal/flatgen/schema"
)

// written returns all unexported identifiers in the code that is generated for schemas with fields
// of all kinds.
func written(t *testing.T) []string {
	t.Helper()
	found := map[string]bool{}
	for _, dir := range []string{"every", "links", "dag"} {
		models, err := schema.Load("../../../flat/internal/cases/"+dir, []string{"."})
		if err != nil {
			t.Fatal(err)
		}
		files, err := golang.Emit(models[0], dir+"flat")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if !strings.HasSuffix(f.Name, ".go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Data, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(parsed, func(n ast.Node) bool {
				if id, is := n.(*ast.Ident); is && id.Name != "_" && !id.IsExported() {
					found[id.Name] = true
				}
				return true
			})
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// exported returns the name with an upper-case first letter.
func exported(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// module writes a module that contains a schema in package name, and returns its folder.
func module(t *testing.T, name, schema string) string {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-mod=mod -p=2")
	t.Setenv("GOPROXY", "off")
	for path, text := range map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.26.0\n\nrequire (\n\tgithub.com/coppice-go/coppice v0.1.0\n\tgithub.com/coppice-go/coppice/flat v0.1.0\n)\n\n" +
			"replace (\n\tgithub.com/coppice-go/coppice => " + root + "\n\tgithub.com/coppice-go/coppice/flat => " + root + "/flat\n)\n",
		"go.sum": string(sums), name + "/schema.go": schema,
	} {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// roundTrips generates the code for a schema, and runs its tests, which convert random trees.
func roundTrips(t *testing.T, name, schema string) {
	t.Helper()
	dir := module(t, name, schema)
	if err := Generate(Options{Dir: dir, Patterns: []string{"./" + name}}); err != nil {
		t.Fatalf("%.3000s", err)
	}
	cmd := exec.Command("go", "test", "-gcflags=-e -N -l", "./...")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("what is generated for package %s: %v\n%.3000s", name, err, out)
	}
}

// fields returns a schema whose fields have the given names. The fields are lists of nodes and of
// structs, four in each record.
func fields(pkg string, names []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\n//flat:sum\n//flat:root Node\ntype Node interface{ isNode() }\n\ntype In struct { Items []int32; Nodes []Node }\ntype Enum uint8\n", pkg)
	for i := 0; i < len(names); i += schema.MostParameters {
		for k, types := range [][]string{{"[]Node", "[]Node", "[2]Node", "[][2]Node"}, {"[]In", "[2]In", "In", "[][2]In"}, {"*float64", "[]Enum", "*Enum", "*string"}} {
			fmt.Fprintf(&b, "type R%d_%d struct {\n", i, k)
			for j, name := range names[i:min(i+schema.MostParameters, len(names))] {
				fmt.Fprintf(&b, "\t%s %s\n", name, types[j])
			}
			fmt.Fprintf(&b, "}\nfunc (*R%d_%d) isNode() {}\n", i, k)
		}
	}
	return b.String()
}

// TestFieldsWithGeneratedNames verifies that a field may have any name that occurs in generated
// code. Either the generated code compiles and works, or the name is rejected.
func TestFieldsWithGeneratedNames(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles three large packages")
	}
	own := map[string]bool{}
	for _, name := range slices.Concat(written(t), schema.Reserved) {
		own[exported(name)] = true
	}
	for _, name := range []string{"IsNil", "String", "Kind", "View", "X", "C", "I0", "K1", "V1", "X0", "First0", "FirstX", "Depth", "XY", "Xy", "At", "Rest", "N", "W", "B",
		"KindsOfNode", "FieldKindsOfNode", "ItemsOfR0_0X", "Len", "Type", "𝐀"} {
		own[name] = true
	}
	names := slices.Sorted(maps.Keys(own))
	packages := []string{"x", "schema", "flat"}
	share := (len(names)/len(packages)/schema.MostParameters + 1) * schema.MostParameters
	for i, part := range slices.Collect(slices.Chunk(names, share)) {
		roundTrips(t, packages[i], fields(packages[i], part))
	}
}

// TestTypesWithGeneratedNames verifies the same for the names of types.
func TestTypesWithGeneratedNames(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a large package")
	}
	own := map[string]bool{"XY": true, "Xy": true, "A": true, "AB": true, "R": true, "Fields": true, "Node_": true, "TailA": true, "FromA": true, "ItemsOfA": true, "EachA": true}
	for _, name := range written(t) {
		own[exported(name)] = true
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(own)), func(name string) bool {
		return slices.Contains(schema.Reserved, name) || slices.Contains(schema.BuilderMethods, name) || name == "Node" || name == "In" || name == "Nil"
	})
	for half := range slices.Chunk(names, len(names)/2+1) { // a schema has at most 255 variants
		checkGeneratedNames(t, half)
	}
	for _, name := range schema.Reserved {
		if name == "KindNil" || name == "AnyView" {
			continue // they have error messages of their own
		}
		err := Generate(Options{Dir: module(t, "box", "package box\n\n//flat:root "+name+"\ntype "+name+" struct{ X int32 }\n"), Patterns: []string{"./box"}})
		if err == nil || !strings.Contains(err.Error(), "rename it") {
			t.Errorf("a type named %s: %v", name, err)
		}
	}
}

// checkGeneratedNames generates the code for a schema whose types have the given names, and tests
// it.
func checkGeneratedNames(t *testing.T, names []string) {
	t.Helper()
	var b strings.Builder
	b.WriteString("package depth\n\n//flat:sum\n//flat:root Node\ntype Node interface{ isNode() }\n\ntype In struct { Items []int32; Nodes []Node }\n")
	for _, name := range names {
		fmt.Fprintf(&b, "type %[1]s struct {\n\tKids []Node\n\tSelf *%[1]s\n\tLink *%[1]s `flat:\"ref\"`\n\tB, BC []In\n\tC []Node\n\tText string `flat:\"intern\"`\n}\nfunc (*%[1]s) isNode() {}\n", name)
	}
	roundTrips(t, "depth", b.String())
}

// TestListsOfThemselvesAreRefused verifies that the generator rejects a list type that contains
// itself, directly or indirectly, and does not loop forever.
func TestListsOfThemselvesAreRefused(t *testing.T) {
	for _, list := range []string{"type L []L", "type L [][2]L", "type L []M\ntype M []L"} {
		dir := module(t, "box", "package box\n\n//flat:root Node\ntype Node struct {\n\tItems L\n\tKids Nodes\n}\n\ntype Nodes []Node\n\n"+list+"\n")
		err := Generate(Options{Dir: dir, Patterns: []string{"./box"}})
		if err == nil || strings.Count(err.Error(), "\n") > 0 || !strings.Contains(err.Error(), "Node.Items has ") || !strings.Contains(err.Error(), "inside a list; declare a struct that contains it") {
			t.Errorf("%s: %v", list, err)
		}
	}
}

// TestGeneratedNamesInCpp verifies that fields and types may have any name that occurs in a
// generated C++ header.
func TestGeneratedNamesInCpp(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a large header")
	}
	compiler, err := exec.LookPath("g++")
	if err != nil {
		t.Skip("there is no g++")
	}
	models, err := schema.Load("../../../flat/internal/cases/every", []string{"."})
	if err != nil {
		t.Fatal(err)
	}
	header, err := cpp.Emit(models[0], "everyflat", cpp.Alone)
	if err != nil {
		t.Fatal(err)
	}
	own, capitals := map[string]bool{"Max": true, "Nil": true}, map[string]bool{"F": true, "T": true}
	for _, word := range regexp.MustCompile(`[A-Za-z]\w*`).FindAllString(string(header), -1) {
		own[exported(word)] = true
		if word == exported(word) && !slices.Contains(schema.Reserved, word) && word != "Nil" {
			capitals[word] = true
		}
	}
	names := slices.Sorted(maps.Keys(own))
	var b strings.Builder
	b.WriteString("package box\n\n//flat:sum\n//flat:root Node\ntype Node interface{ isNode() }\n\n")
	for i, part := range slices.Collect(slices.Chunk(names, 200)) {
		fmt.Fprintf(&b, "type Variant%d struct {\n", i)
		for k, name := range part {
			fmt.Fprintf(&b, "\t%s %s\n", name, []string{"int32", "Node", "string", "bool"}[k%4])
		}
		fmt.Fprintf(&b, "\tInside%d\n}\nfunc (*Variant%d) isNode() {}\ntype Inside%d struct { Inner%d Inline%d }\ntype Inline%d struct { A []Node }\n", i, i, i, i, i, i)
	}
	compiles(t, compiler, b.String())
	b.Reset()
	b.WriteString("package box\n\n//flat:sum\n//flat:root Node\ntype Node interface{ isNode() }\n\n")
	for i, name := range slices.Sorted(maps.Keys(capitals)) {
		if i >= 250 || name == "Node" || strings.HasSuffix(name, "Fields") || slices.Contains(schema.BuilderMethods, name) {
			continue
		}
		fmt.Fprintf(&b, "type %s struct { Kids []Node; Op int32 }\nfunc (*%s) isNode() {}\n", name, name)
	}
	compiles(t, compiler, b.String())
}

// compiles fails the test unless the C++ header of a schema compiles.
func compiles(t *testing.T, compiler, declarations string) {
	t.Helper()
	dir := module(t, "box", declarations)
	models, err := schema.Load(dir, []string{"./box"})
	if err != nil {
		t.Fatalf("%.3000s", err)
	}
	header, err := cpp.Emit(models[0], "boxflat", cpp.Alone)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "box.cpp")
	if err := os.WriteFile(path, append(header, "\nint main() { boxflat::builder b; boxflat::Node n; return n ? 1 : 0; }\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(compiler, "-std=c++20", "-fsyntax-only", path).CombinedOutput(); err != nil {
		t.Errorf("%v\n%.3000s", err, out)
	}
}

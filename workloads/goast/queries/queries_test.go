package queries

import (
	"bytes"
	"cmp"
	"database/sql"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"
)

const root = "../../.."

// packages is the part of the standard library on which the queries run.
const packages = "net/http"

// TestQueriesOfTheManual compares the results of the queries in docs/CORPORA.md with results
// computed from go/ast.
func TestQueriesOfTheManual(t *testing.T) {
	source := filepath.Join(goroot(t), "src", filepath.FromSlash(packages))
	dir := t.TempDir()
	command(t, "run", "./workloads/goast/corpus", "-out", filepath.Join(dir, "go.forest"), source)
	command(t, "run", "./cmd/coppice", "flat", "export", "-out", filepath.Join(dir, "tables"), filepath.Join(dir, "go.forest"))
	files := parse(t, source)
	wants := []func([]file) []string{nil, names, panics, functions, deferred} // the first query counts kinds, which differ from go/ast
	queries := manual(t)
	if len(queries) != len(wants) {
		t.Fatalf("the manual has %d queries, and %d are expected", len(queries), len(wants))
	}
	t.Chdir(dir)
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for i, query := range queries {
		got := ask(t, db, query)
		if len(got) == 0 {
			t.Errorf("no row:\n%s", query)
		}
		if wants[i] == nil {
			continue
		}
		if want := wants[i](files); !slices.Equal(got, want) {
			t.Errorf("%s\nsays\n%s\nand go/ast\n%s", query, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	kinds := strings.Join(ask(t, db, "SELECT kind, count(*) FROM 'tables/nodes.parquet' GROUP BY kind"), "\n")
	for kind, n := range countKinds(files) {
		if !strings.Contains("\n"+kinds+"\n", fmt.Sprintf("\n%s|%d\n", kind, n)) {
			t.Errorf("go/ast has %d nodes %s, and the tables\n%s", n, kind, kinds)
		}
	}
}

// TestTablesAgree verifies that the preorder index, the size and the depth of each node are
// consistent with those of its parent.
func TestTablesAgree(t *testing.T) {
	dir := t.TempDir()
	command(t, "run", "./workloads/goast/corpus", "-out", filepath.Join(dir, "go.forest"), filepath.Join(goroot(t), "src", "sort"))
	command(t, "run", "./cmd/coppice", "flat", "export", "-out", filepath.Join(dir, "tables"), filepath.Join(dir, "go.forest"))
	t.Chdir(dir)
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for what, query := range map[string]string{
		"a node outside its parent": `SELECT count(*) FROM 'tables/nodes.parquet' c JOIN 'tables/nodes.parquet' p ON p.tree = c.tree AND p.node = c.parent
			WHERE c.pre <= p.pre OR c.pre + c.size > p.pre + p.size OR c.depth <> p.depth + 1 OR c.node >= p.node`,
		"a size that is not that of the descendants": `SELECT count(*) FROM (SELECT p.size, 1 + coalesce(sum(c.size), 0) AS want FROM 'tables/nodes.parquet' p
			LEFT JOIN 'tables/nodes.parquet' c ON c.tree = p.tree AND c.parent = p.node GROUP BY p.tree, p.node, p.size) WHERE size <> want`,
		"a number in preorder that is there twice": `SELECT count(*) FROM (SELECT 1 FROM 'tables/nodes.parquet' GROUP BY tree, pre HAVING count(*) > 1)`,
		"a node without a row of its kind":         "SELECT (SELECT count(*) FROM 'tables/nodes.parquet') - (SELECT count(*) FROM read_parquet([" + kinds(t) + "], union_by_name = true))",
		"a tree with another number of nodes":      `SELECT count(*) FROM 'tables/trees.parquet' t WHERE nodes <> (SELECT count(*) FROM 'tables/nodes.parquet' n WHERE n.tree = t.tree)`,
	} {
		if got := ask(t, db, query); !slices.Equal(got, []string{"0"}) {
			t.Errorf("%s: %v", what, got)
		}
	}
}

// kinds returns the paths of the tables of kinds, without the tables of lists, as a comma-separated
// list of SQL strings.
func kinds(t *testing.T) string {
	files, err := filepath.Glob("tables/kinds/*.parquet")
	if err != nil {
		t.Fatal(err)
	}
	files = slices.DeleteFunc(files, func(f string) bool { return strings.Count(f, ".") > 1 })
	return "'" + strings.Join(files, "', '") + "'"
}

func goroot(t *testing.T) string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// command runs a go command in the root folder of the workspace.
func command(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOWORK=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
}

// manual returns the SQL queries in docs/CORPORA.md.
func manual(t *testing.T) (all []string) {
	data, err := os.ReadFile(filepath.Join(root, "docs", "CORPORA.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range bytes.Split(data, []byte("```sql\n"))[1:] {
		query, _, _ := bytes.Cut(part, []byte("```"))
		all = append(all, string(query))
	}
	return all
}

// ask returns the rows of a query's result. The values of a row are separated by vertical bars.
func ask(t *testing.T, db *sql.DB, query string) (all []string) {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatalf("%v\n%s", err, query)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values, to := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			to[i] = &values[i]
		}
		if err := rows.Scan(to...); err != nil {
			t.Fatal(err)
		}
		text := make([]string, len(values))
		for i, v := range values {
			text[i] = fmt.Sprint(v)
		}
		all = append(all, strings.Join(text, "|"))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// A file is the syntax tree of a file and its name.
type file struct {
	name string
	*ast.File
}

func (f *file) at(p token.Pos) int { return int(p - f.FileStart) }

func parse(t *testing.T, source string) (all []file) {
	err := filepath.WalkDir(source, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && d.Name() == "testdata" {
			return cmp.Or(err, fs.SkipDir)
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		name, _ := filepath.Rel(source, path)
		all = append(all, file{filepath.ToSlash(name), f})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// counted returns the ten words with the highest counts, in descending order.
func counted(of map[string]int) []string {
	var all []string
	for word := range of {
		all = append(all, word)
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(of[b], of[a]), cmp.Compare(a, b)) })
	all = all[:min(10, len(all))]
	for i, word := range all {
		all[i] = fmt.Sprintf("%s|%d", word, of[word])
	}
	return all
}

// names counts identifiers. It omits the identifier after the dot of a selector, which the schema
// stores in the SelectorExpr.
func names(files []file) []string {
	of := map[string]int{}
	for _, f := range files {
		ast.Inspect(f.File, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				of[n.Name]++
			case *ast.SelectorExpr:
				of[n.Sel.Name]--
			}
			return true
		})
	}
	return counted(of)
}

func panics(files []file) (all []string) {
	for _, f := range files {
		ast.Inspect(f.File, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok {
				if fun, ok := c.Fun.(*ast.Ident); ok && fun.Name == "panic" {
					all = append(all, fmt.Sprintf("%s|%6d", f.name, f.at(c.Lparen)))
				}
			}
			return true
		})
	}
	return sorted(all)
}

// sorted sorts rows of a name and a padded number, and removes the padding.
func sorted(all []string) []string {
	slices.Sort(all)
	for i := range all {
		all[i] = strings.ReplaceAll(all[i], " ", "")
	}
	return all
}

// functions returns the ten largest functions, measured in nodes of the schema. Compared with
// these, go/ast has one more node per SelectorExpr, but no node for the ... of a call.
func functions(files []file) []string {
	type row struct {
		text string
		size int
	}
	var all []row
	for _, f := range files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			size := 0
			ast.Inspect(fn, func(n ast.Node) bool {
				switch n := n.(type) {
				case nil, *ast.CommentGroup:
					return false
				case *ast.SelectorExpr:
					size--
				case *ast.CallExpr:
					if n.Ellipsis.IsValid() {
						size++
					}
				}
				size++
				return true
			})
			all = append(all, row{f.name + "|" + fn.Name.Name, size})
		}
	}
	slices.SortFunc(all, func(a, b row) int { return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.text, b.text)) })
	var text []string
	for _, r := range all[:10] {
		text = append(text, fmt.Sprintf("%s|%d", r.text, r.size))
	}
	return text
}

func deferred(files []file) (all []string) {
	for _, f := range files {
		var path []ast.Node
		ast.Inspect(f.File, func(n ast.Node) bool {
			if n == nil {
				path = path[:len(path)-1]
				return false
			}
			if d, ok := n.(*ast.DeferStmt); ok && slices.ContainsFunc(path, isLoop) {
				all = append(all, fmt.Sprintf("%s|%6d", f.name, f.at(d.Defer)))
			}
			path = append(path, n)
			return true
		})
	}
	return sorted(all)
}

func isLoop(n ast.Node) bool {
	switch n.(type) {
	case *ast.ForStmt, *ast.RangeStmt:
		return true
	}
	return false
}

// countKinds counts the nodes of the kinds that are the same in the schema and in go/ast.
func countKinds(files []file) map[string]int {
	of := map[string]int{}
	for _, f := range files {
		ast.Inspect(f.File, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.CallExpr, *ast.FuncDecl, *ast.IfStmt, *ast.BinaryExpr, *ast.CompositeLit, *ast.SelectorExpr, *ast.ReturnStmt, *ast.File:
				of[strings.TrimPrefix(fmt.Sprintf("%T", n), "*ast.")]++
			}
			return true
		})
	}
	return of
}

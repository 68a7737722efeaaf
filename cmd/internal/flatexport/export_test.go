package flatexport

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/flatimpl"
	"github.com/coppice-go/coppice/flat/forest"
	"github.com/coppice-go/coppice/internal/flatlayout"
)

var update = flag.Bool("update", false, "write testdata again")

const vectors = "../../../flat/testdata/vectors"

func must[T any](t T, err error) T {
	if err != nil {
		panic(err)
	}
	return t
}

// read returns the columns and the rows of a Parquet table, with each value formatted as a string.
func read(t *testing.T, path string) (columns []string, rows [][]string) {
	t.Helper()
	data := must(os.ReadFile(path))
	file := must(parquet.OpenFile(strings.NewReader(string(data)), int64(len(data))))
	for _, c := range file.Schema().Columns() {
		columns = append(columns, strings.Join(c, "."))
	}
	for _, group := range file.RowGroups() {
		from := group.Rows()
		for {
			some := make([]parquet.Row, 100)
			n, err := from.ReadRows(some)
			for _, row := range some[:n] {
				var text []string
				for i, v := range row {
					leaf := file.Schema().Fields()[i]
					switch {
					case v.IsNull():
						text = append(text, "null")
					case v.Kind() == parquet.ByteArray:
						text = append(text, fmt.Sprintf("%q", v.ByteArray()))
					case leaf.Type().LogicalType() != nil && strings.Contains(leaf.Type().String(), "false") && v.Kind() == parquet.Int32:
						text = append(text, fmt.Sprint(v.Uint32()))
					case leaf.Type().LogicalType() != nil && strings.Contains(leaf.Type().String(), "false"):
						text = append(text, fmt.Sprint(v.Uint64()))
					default:
						text = append(text, v.String())
					}
				}
				rows = append(rows, text)
			}
			if n == 0 || err != nil {
				break
			}
		}
		from.Close()
	}
	return columns, rows
}

// tables formats all tables in the folder that have rows.
func tables(t *testing.T, folder string) string {
	t.Helper()
	var all strings.Builder
	check(t, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name := strings.TrimSuffix(filepath.ToSlash(must(filepath.Rel(folder, path))), ".parquet")
		columns, rows := read(t, path)
		if len(rows) == 0 {
			return nil
		}
		fmt.Fprintf(&all, "%s: %s\n", name, strings.Join(columns, ", "))
		for _, row := range rows {
			fmt.Fprintf(&all, "  %s\n", strings.Join(row, ", "))
		}
		return nil
	}))
	return all.String()
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestVectors compares the tables of each vector with a golden file in testdata. The golden files
// are text, so that a person can check them against flat/testdata/vectors.
func TestVectors(t *testing.T) {
	for _, path := range must(filepath.Glob(filepath.Join(vectors, "*.flat"))) {
		name := strings.TrimSuffix(filepath.Base(path), ".flat")
		folder := filepath.Join(t.TempDir(), "out")
		must(Export([]string{path}, folder))
		got := strings.ReplaceAll(tables(t, folder), fmt.Sprintf("%q", path), "FILE")
		golden := filepath.Join("testdata", name+".txt")
		if *update {
			check(t, os.WriteFile(golden, []byte(got), 0o644))
		}
		if want := string(must(os.ReadFile(golden))); got != want {
			t.Errorf("%s: the tables are\n%s\nwant\n%s", name, got, want)
		}
	}
}

// TestTablesDifferByMoreThanCase verifies that kinds and lists whose names differ only in case are
// exported to files whose names differ in more than case, because some file systems ignore case.
func TestTablesDifferByMoreThanCase(t *testing.T) {
	schema := must(flatlayout.Parse("flat 1\nroot XY\nrecord XY\n Kids []int32\n KIDS []int32\nrecord Xy\n Kids []int32\nrecord Xy_\n A int32\n"))
	folder := t.TempDir()
	e := &exporter{folder: folder}
	check(t, e.open(must(schema.Place())))
	check(t, e.close())
	var names []string
	for _, path := range must(filepath.Glob(filepath.Join(folder, "kinds", "*"))) {
		names = append(names, filepath.Base(path))
	}
	want := []string{"XY.KIDS_.parquet", "XY.Kids.parquet", "XY.parquet", "Xy_.Kids.parquet", "Xy_.parquet", "Xy__.parquet"}
	if !slices.Equal(names, want) {
		t.Errorf("the tables are %q, want %q", names, want)
	}
}

// TestForest verifies that exporting a forest gives the same rows as exporting its trees one by
// one.
func TestForest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "forest")
	w := must(forest.Create[anyTree](path, forest.Options{SegmentBytes: 1}))
	single := must(flat.LoadAny(must(os.ReadFile(filepath.Join(vectors, "expr-call.flat"))), flat.LoadLimits{}))
	check(t, errors.Join(w.Add("expr-call.flat", anyTree{single}), w.Add("expr-call.flat", anyTree{single}), w.Close()))
	one, two := filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "two")
	file := filepath.Join(vectors, "expr-call.flat")
	a := must(Export([]string{path}, one))
	b := must(Export([]string{file, file}, two))
	got, want := strings.ReplaceAll(tables(t, one), path, "FILE"), strings.ReplaceAll(tables(t, two), file, "FILE")
	if got != want || a != b || a.Trees != 2 {
		t.Errorf("%+v:\n%s\nwant %+v:\n%s", a, got, b, want)
	}

	// The rows are also the same if the forest is opened again for each tree.
	defer func(n int64, d time.Duration) { mostMapped, openings = n, d }(mostMapped, openings)
	mostMapped, openings = 1, 0
	three := filepath.Join(t.TempDir(), "three")
	c := must(Export([]string{path}, three))
	if got := strings.ReplaceAll(tables(t, three), path, "FILE"); got != want || c != b {
		t.Errorf("in parts %+v:\n%s\nwant %+v:\n%s", c, got, b, want)
	}
}

// anyTree stands in for the tree type of a package generated from the vectors' schema.
type anyTree struct{ *flat.Tree }

var exprSchema = flatimpl.NewSchema(flatimpl.Generation5("exprflat"), func() string {
	data := must(os.ReadFile(filepath.Join(vectors, "expr-call.flat")))
	return (*flatimpl.Tree)(must(flat.LoadAny(data, flat.LoadLimits{}))).Inspect().SchemaText()
}())

func (anyTree) Schema() *flatimpl.Schema { return exprSchema }

func (anyTree) OfForest(f *flatimpl.Format, s flatimpl.Stored, limits flat.LoadLimits) (anyTree, error) {
	t, err := f.Tree(s, flatimpl.LoadLimits(limits))
	return anyTree{(*flat.Tree)(t)}, err
}

// TestErrors verifies that a failed export leaves no files behind.
func TestErrors(t *testing.T) {
	dir := t.TempDir()
	file, other := filepath.Join(vectors, "expr-call.flat"), filepath.Join(vectors, "dag-dag.flat")
	broken := filepath.Join(dir, "broken")
	check(t, os.WriteFile(broken, []byte("\x89TREES\r\n and more"), 0o600))
	for want, files := range map[string][]string{
		"its schema differs from that of the trees before it": {file, other},
		"less than the header of a forest":                    {file, broken},
		"no such file":                                        {file, filepath.Join(dir, "none")},
		"no tree to export":                                   {},
	} {
		out := filepath.Join(dir, "out")
		if _, err := Export(files, out); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %q", err, want)
		}
		if _, err := os.Stat(out); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: the folder is there", want)
		}
	}
	if _, err := Export([]string{file}, dir); !errors.Is(err, ErrNotEmpty) {
		t.Errorf("a folder with files: %v", err)
	}
	if got := must(os.ReadDir(dir)); len(got) != 1 {
		t.Errorf("%d files are left", len(got))
	}
}

// TestTooLargeSchemas verifies that Export refuses a schema that needs too many tables or columns.
func TestTooLargeSchemas(t *testing.T) {
	for want, text := range map[string]string{
		"more than 500 tables":   "flat 1\nroot R\nrecord R\n" + numbered(600, " F%d []bool\n"),
		"more than 5000 columns": "flat 1\nroot R\nrecord R\n" + numbered(6000, " F%d bool\n"),
	} {
		schema := flatimpl.NewSchema(flatimpl.Generation5("test"), text)
		tree := must(schema.NewBuilder(flatimpl.BuilderOptions{}).Finish(flatimpl.Node{}))
		path := filepath.Join(t.TempDir(), "tree")
		f := must(os.Create(path))
		must(tree.WriteTo(f))
		check(t, f.Close())
		if _, err := Export([]string{path}, filepath.Join(t.TempDir(), "out")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
}

func numbered(n int, format string) string {
	var all strings.Builder
	for i := range n {
		fmt.Fprintf(&all, format, i)
	}
	return all.String()
}

// TestNodesAgree exports the same tree 3000 times, so that the nodes table has many row groups, and
// verifies that every copy has the same rows.
func TestNodesAgree(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "tree")
	defer func(n int64) { mostPending = n }(mostPending)
	mostPending = 50_000
	data := must(os.ReadFile(filepath.Join(vectors, "expr-call.flat")))
	check(t, os.WriteFile(path, data, 0o600))
	files := slices.Repeat([]string{path}, 3000)
	out := filepath.Join(dir, "out")
	totals := must(Export(files, out))
	_, rows := read(t, filepath.Join(out, "nodes.parquet"))
	if len(rows) != totals.Nodes || totals.Trees != 3000 {
		t.Fatalf("%d rows, want %+v", len(rows), totals)
	}
	slices.SortStableFunc(rows, func(a, b []string) int { return cmp.Compare(a[0], b[0]) })
	per := len(rows) / 3000
	for i, row := range rows[per:] {
		if !slices.Equal(row[1:], rows[i%per][1:]) {
			t.Fatalf("row %d is %v, want %v", i, row, rows[i%per])
		}
	}
}

package fleet

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestQueries verifies that each query in docs/FLEET.md runs in a database of its own, and that the
// first row of its result is correct.
func TestQueries(t *testing.T) {
	duckdb, err := exec.LookPath("duckdb")
	if err != nil {
		t.Skip("no command duckdb; pip install duckdb-cli brings it")
	}
	document, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "docs", "FLEET.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "in", "version=1", "a-1.pb.gz"), heap(1000, map[string]count{"F@f.go:3": {10, 900, 1, 10}, "G@f.go:9": {5, 100, 0, 0}}))
	write(t, filepath.Join(dir, "in", "version=2", "a-1.pb.gz"), heap(2000, map[string]count{"F@f.go:3": {10, 400, 1, 10}, "G@f.go:9": {5, 600, 0, 0}}))
	f, err := os.Create(filepath.Join(dir, "fleet.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p := NewParquet(f)
	if _, err := Read(context.Background(), []string{filepath.Join(dir, "in")}, Options{Each: p.Write}); err != nil {
		t.Fatal(err)
	}
	if err := p.Write([]Row{{Time: time.Unix(0, 0), CPU: 8}, {Time: time.Unix(0, 0), Site: "example.com/x.F /build/x/f.go:3", CPU: 2}}); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	site := func(function, line string) string { return "example.com/x." + function + " /build/x/f.go:" + line }
	want := []string{ // the first row of each result
		site("F", "3") + ",,1300,0.65",
		site("F", "3") + ",0.25",
		site("G", "9") + ",0.5",
		"1970-01-01 00:00:00+00," + site("F", "3") + ",1300,1",
	}
	blocks := strings.Split(string(document), "```sql\n")[1:]
	if len(blocks) != len(want) {
		t.Fatalf("%d queries, want %d", len(blocks), len(want))
	}
	for i, b := range blocks {
		query, _, _ := strings.Cut(b, "```")
		cmd := exec.Command(duckdb, "-csv", "-noheader", "-c", query)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "TZ=UTC")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%v\n%s%s", err, query, out)
		} else if !strings.HasPrefix(string(out), want[i]) {
			t.Errorf("the answer is\n%swant it to begin with\n%s\nto\n%s", out, want[i], query)
		}
	}
}

package find

import (
	"os"
	"path/filepath"
	"testing"
)

// TestBenchmarksOfAPackage verifies that benchmarks are found in test files of the package and of
// the external test package. They are not found in other files, and functions that only resemble
// benchmarks are ignored.
func TestBenchmarksOfAPackage(t *testing.T) {
	t.Setenv("GOFLAGS", "-mod=mod -tags=slow,integration")
	const head = "import \"testing\"\n\n"
	for _, c := range []struct {
		name, file, text string
		want             bool
	}{
		{"a benchmark", "a_test.go", "package a\n\n" + head + "func BenchmarkAdd(b *testing.B) {}\n", true},
		{"an external one", "a_test.go", "package a_test\n\n" + head + "func Benchmark(b *testing.B) {}\n", true},
		{"letters of another script", "a_test.go", "package a\n\n" + head + "func Benchmark世界(b *testing.B) {}\n", true},
		{"a benchmark without a name for its parameter", "a_test.go", "package a\n\n" + head + "func BenchmarkAdd(*testing.B) {}\n", true},
		{"testing under another name", "a_test.go", "package a\n\nimport tt \"testing\"\n\nfunc BenchmarkAdd(b *tt.B) {}\n", true},
		{"testing without a name", "a_test.go", "package a\n\nimport . \"testing\"\n\nfunc BenchmarkAdd(b *B) {}\n", true},
		{"a test", "a_test.go", "package a\n\n" + head + "func TestAdd(t *testing.T) {}\n", false},
		{"a test with a similar name", "a_test.go", "package a\n\n" + head + "func BenchmarkAdd(t *testing.T) {}\n", false},
		{"a word", "a_test.go", "package a\n\n" + head + "func Benchmarking(b *testing.B) {}\n", false},
		{"a helper", "a_test.go", "package a\n\n" + head + "func BenchmarkAdd(b *testing.B, n int) {}\n", false},
		{"a method", "a_test.go", "package a\n\n" + head + "type T int\n\nfunc (T) BenchmarkAdd(b *testing.B) {}\n", false},
		{"a comment", "a_test.go", "package a\n\n/*\nfunc BenchmarkAdd(b *testing.B) {}\n*/\n", false},
		{"a string", "a_test.go", "package a\n\nvar text = `\nfunc BenchmarkAdd(b *testing.B) {}\n`\n", false},
		{"a file that is not of tests", "a.go", "package a\n\n" + head + "func BenchmarkAdd(b *testing.B) {}\n", false},
		{"a file that is not built", "a_test.go", "//go:build ignore\n\npackage a\n\n" + head + "func BenchmarkAdd(b *testing.B) {}\n", false},
		{"a file for tags in GOFLAGS", "a_test.go", "//go:build integration && !race\n\npackage a\n\n" + head + "func BenchmarkAdd(b *testing.B) {}\n", true},
		{"a file for other tags", "a_test.go", "//go:build e2e\n\npackage a\n\n" + head + "func BenchmarkAdd(b *testing.B) {}\n", false},
		{"a file for the next release", "a_test.go", "//go:build go1.27\n\npackage a\n\n" + head + "func BenchmarkAdd(b *testing.B) {}\n", true},
		{"a file that is not complete", "a_test.go", "package a\n\nfunc BenchmarkAdd(b *testing.B {}\n", false},
	} {
		dir := filepath.Join(t.TempDir(), "odd [name")
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, c.file), []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := benchmarks(dir); got != c.want {
			t.Errorf("%s: %t, want %t", c.name, got, c.want)
		}
	}
	if benchmarks(filepath.Join(t.TempDir(), "absent")) {
		t.Error("a folder that does not exist has benchmarks")
	}
}

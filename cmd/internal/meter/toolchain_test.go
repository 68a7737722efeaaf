package meter

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// benchmarkFile returns the path and the contents of the toolchain's testing/benchmark.go.
func benchmarkFile(t *testing.T) (file, text string) {
	t.Helper()
	env, err := goEnv(t.Context(), "go", ".", nil)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(env.GOROOT, "src", "testing", "benchmark.go")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return file, string(b)
}

// TestChangedToolchain verifies that Make rejects a toolchain whose testing package differs from
// what the meter expects.
func TestChangedToolchain(t *testing.T) {
	_, text := benchmarkFile(t)
	module := unpack(t, "old")
	for name, c := range map[string]struct{ old, new, want string }{
		"no start":      {"b.start = ", "b.began = ", `0 statements "b.start =" in method StartTimer, want 1`},
		"two stops":     {"b.duration += highPrecisionTimeSince(b.start)", "b.duration += 1; b.duration += 2", `2 statements "b.duration +=" in method StopTimer`},
		"no method":     {") StopTimer()", ") Stop()", "no method StopTimer"},
		"a function":    {"func (s *benchState) processBench(b *B)", "func processBench(s *benchState, b *B)", "no method processBench"},
		"two methods":   {") RunParallel(", ") runN(", "two methods runN"},
		"no struct":     {"type B struct", "type C struct", "no struct type B"},
		"no result":     {"r := b.doBench()", "r, _ := b.doBench()", `0 statements "r := b.doBench()"`},
		"no Go at all":  {"package testing", "package", "expected 'IDENT'"},
		"no file":       {"", "", "no "},
		"another order": {"results := r.String()", "results := b.String()", `"results := r.String()"`},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			if c.old != "" {
				if !strings.Contains(text, c.old) {
					t.Fatalf("there is no %q to change", c.old)
				}
				put(t, filepath.Join(root, "src", "testing", "benchmark.go"), strings.ReplaceAll(text, c.old, c.new))
			}
			t.Setenv("GOROOT", root)
			o, err := Make(t.Context(), t.TempDir(), module, nil, nil)
			if !errors.Is(err, ErrToolchain) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%+v, error %v, want one line with %q", o, err, c.want)
			}
		})
	}
}

// TestFileNameConflict verifies that Make rejects a testing package that already contains a file
// with the meter's name.
func TestFileNameConflict(t *testing.T) {
	_, text := benchmarkFile(t)
	root := t.TempDir()
	put(t, filepath.Join(root, "src", "testing", "benchmark.go"), text)
	put(t, filepath.Join(root, "src", "testing", "coppice_meter.go"), "package testing\n")
	t.Setenv("GOROOT", root)
	if _, err := Make(t.Context(), t.TempDir(), t.TempDir(), nil, nil); !errors.Is(err, ErrToolchain) || !strings.Contains(err.Error(), "already") {
		t.Errorf("error %v", err)
	}
}

// TestCompileError verifies that try reports an error that only the compiler detects, here a
// missing field.
func TestCompileError(t *testing.T) {
	file, _ := benchmarkFile(t)
	dir := t.TempDir()
	o, err := Make(t.Context(), dir, ".", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	changed := filepath.Join(dir, "benchmark.go")
	text, err := os.ReadFile(changed)
	if err != nil {
		t.Fatal(err)
	}
	put(t, changed, string(text)+"\nvar _ = new(B).gone\n")
	if err := o.try(t.Context(), "."); !errors.Is(err, ErrToolchain) || !strings.Contains(err.Error(), "gone undefined") || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v of a changed %s", err, file)
	}
}

// TestEdit verifies that the edits keep every line's number, so that positions in profiles stay
// correct.
func TestEdit(t *testing.T) {
	file, text := benchmarkFile(t)
	changed, err := edit(file, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	// The meter must do its work while the benchmark's clock is stopped.
	for _, want := range []string{"b.coppiceStart(); b.start = ", "b.duration += highPrecisionTimeSince(b.start); b.coppiceStop()\n"} {
		if !strings.Contains(string(changed), want) {
			t.Errorf("no %q", want)
		}
	}
	was, is := strings.Split(text, "\n"), strings.Split(string(changed), "\n")
	at := func(lines []string, what string) int {
		for i, line := range lines {
			if strings.HasPrefix(line, what) {
				return i + 1
			}
		}
		return 0
	}
	const last = "func (discard) Write("
	if a, b := at(was, last), at(is, last); a != b || a == 0 {
		t.Errorf("%q was in line %d and is in line %d", last, a, b)
	}
}

func TestCopied(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	root := t.TempDir()
	put(t, filepath.Join(root, "bin", "go"), "#!")
	if err := os.Chmod(filepath.Join(root, "bin", "go"), 0o555); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(root, "src", "testing", "benchmark.go"), "package testing\n")
	env := goEnvironment{GOROOT: root, GOVERSION: "go1.99", GOHOSTOS: "plan9", GOHOSTARCH: "mips"}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			to, err := copied(env, t.TempDir())
			if err != nil {
				t.Error(err)
				return
			}
			info, err := os.Stat(filepath.Join(to, "bin", "go"))
			if err != nil || info.Mode().Perm()&0o111 == 0 {
				t.Errorf("%v, %v: want a file that can be run", info, err)
			}
			if text, err := os.ReadFile(filepath.Join(to, "src", "testing", "benchmark.go")); string(text) != "package testing\n" {
				t.Errorf("%q, %v", text, err)
			}
		})
	}
	all.Wait()
	user, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(filepath.Join(user, "coppice", "goroot"))
	if err != nil || len(left) != 1 || left[0].Name() != "go1.99.plan9-mips" {
		t.Errorf("in the cache are %v, %v", left, err)
	}

	env.GOVERSION, env.GOROOT = "go2", filepath.Join(root, "none")
	if _, err := copied(env, t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v of a toolchain that is not there", err)
	}
	if left, _ := os.ReadDir(filepath.Join(user, "coppice", "goroot")); len(left) != 1 {
		t.Errorf("a copy that failed left %v", left)
	}
}

// TestCopiedWithoutCache verifies that, if the user has no cache folder, the toolchain is copied to
// the given folder, and only once.
func TestCopiedWithoutCache(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	if _, err := os.UserCacheDir(); err == nil {
		t.Skip("the cache is elsewhere")
	}
	root, dir := t.TempDir(), t.TempDir()
	put(t, filepath.Join(root, "bin", "go"), "#!")
	env := goEnvironment{GOROOT: root, GOVERSION: "go1.99", GOHOSTOS: "plan9", GOHOSTARCH: "mips"}
	for range 2 {
		to, err := copied(env, dir)
		if err != nil || filepath.Dir(to) != dir {
			t.Fatalf("%s, %v", to, err)
		}
		if text, err := os.ReadFile(filepath.Join(to, "bin", "go")); string(text) != "#!" {
			t.Errorf("%q, %v", text, err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("%v, %v", left, err)
	}
}

// TestNoFolders verifies that the error is not an ErrToolchain if the go command has no folder for
// its caches, since then it cannot work even without the meter.
func TestNoFolders(t *testing.T) {
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "GOCACHE", "GOPATH", "GOMODCACHE"} {
		t.Setenv(name, "")
	}
	if env, err := goEnv(t.Context(), "go", ".", nil); err != nil || env.GOMODCACHE != "" {
		t.Skip("the go command has its folders elsewhere")
	}
	if _, err := Make(t.Context(), t.TempDir(), ".", nil, nil); err == nil || errors.Is(err, ErrToolchain) || !strings.HasSuffix(err.Error(), "; set HOME, or GOCACHE and GOPATH") {
		t.Error(err)
	}
}

// TestCopyFile tests the copying of a file, which replaces linking on file systems without links.
func TestCopyFile(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	put(t, from, "text")
	if err := os.Chmod(from, 0o555); err != nil {
		t.Fatal(err)
	}
	if err := copyFile(to, from); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(to)
	if text, e := os.ReadFile(to); err != nil || e != nil || string(text) != "text" || info.Mode().Perm() != 0o555 {
		t.Errorf("%q %v, %v %v", text, info.Mode(), err, e)
	}
	if err := copyFile(to, from); err == nil {
		t.Error("a file that is there was overwritten")
	}
}

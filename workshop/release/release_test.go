package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
	"golang.org/x/tools/txtar"

	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

const root = "../.."

// rehearsed is the version under which the proxy serves the modules of this tree.
const rehearsed = "v1.98.7"

// A stranger is a user on another machine with an empty module cache. The user's downloads come
// from a proxy. It serves the modules of this tree as if they had been released, and other modules
// from the download cache of this machine.
type stranger struct {
	t     *testing.T
	dir   string
	env   []string
	proxy string
	cache string // the module cache
}

func newStranger(t *testing.T) stranger {
	t.Helper()
	if testing.Short() {
		t.Skip("packs six modules")
	}
	for _, tool := range []string{"go", "git"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	if _, err := git(root, "rev-parse"); err != nil {
		t.Skip(err)
	}
	s := stranger{t: t, dir: t.TempDir(), proxy: t.TempDir(), cache: t.TempDir()}
	if err := pack(root, rehearsed, s.proxy); err != nil {
		t.Fatal(err)
	}
	downloaded, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	s.env = append(os.Environ(),
		"GOPROXY=file://"+s.proxy+",file://"+filepath.Join(strings.TrimSpace(string(downloaded)), "cache/download"),
		"GOMODCACHE="+s.cache, "GOFLAGS=-modcacherw", "GOSUMDB=off", "GOWORK=off", "GOBIN="+t.TempDir())
	return s
}

// subtest runs part as a subtest in a new folder. It keeps the module cache and the build cache, so
// that nothing is downloaded or compiled twice.
func (s stranger) subtest(name string, part func(*testing.T, stranger)) {
	s.t.Run(name, func(t *testing.T) {
		s.t, s.dir = t, t.TempDir()
		part(t, s)
	})
}

// run runs a command in the user's folder and returns its output.
func (s stranger) run(words ...string) (string, error) {
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir, cmd.Env = s.dir, s.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// mustRun is like run, but fails the test if the command fails.
func (s stranger) mustRun(words ...string) string {
	s.t.Helper()
	out, err := s.run(words...)
	if err != nil {
		s.t.Fatalf("%s: %v\n%s", strings.Join(words, " "), err, out)
	}
	return out
}

func (s stranger) write(name, text string) {
	s.t.Helper()
	file := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		s.t.Fatal(err)
	}
}

// offer adds another module to the proxy. The module consists only of a go.mod file.
func (s stranger) offer(module, version string) {
	s.t.Helper()
	out := filepath.Join(s.proxy, filepath.FromSlash(module), "@v")
	if err := os.MkdirAll(out, 0o777); err != nil {
		s.t.Fatal(err)
	}
	for name, text := range map[string]string{
		"list": version + "\n", version + ".mod": "module " + module + "\n\ngo 1.17\n",
		version + ".info": `{"Version":"` + version + `","Time":"2020-01-01T00:00:00Z"}`,
	} {
		if err := os.WriteFile(filepath.Join(out, name), []byte(text), 0o666); err != nil {
			s.t.Fatal(err)
		}
	}
}

// Adding slab to a program does not change the version of any other module, not even of modules
// that the tools and workloads use.
func TestConsumerVersionsAreUnchanged(t *testing.T) {
	s := newStranger(t)
	old := map[string]string{
		"golang.org/x/term": "v0.0.1", "golang.org/x/tools": "v0.0.1", "golang.org/x/sync": "v0.0.1", "github.com/pelletier/go-toml/v2": "v2.0.0",
		"golang.org/x/sys": "v0.22.0",
	}
	requires := ""
	for module, version := range old {
		requires += "\nrequire " + module + " " + version
		if module != "golang.org/x/sys" {
			s.offer(module, version)
		}
	}
	s.write("go.mod", "module example.org/consumer\n\ngo 1.26.0\n"+requires+"\n")
	s.write("main.go", "package main\n\nfunc main() {}\n")
	s.write("list/list.go", `package list

import "github.com/coppice-go/coppice/slab"

var Numbers slab.Slab[int]
`)
	s.mustRun("go", "get", library+"/slab@"+rehearsed)
	s.mustRun("go", "build", "./...")
	mod := s.mustRun("cat", "go.mod")
	for module, version := range old {
		if !regexp.MustCompile(regexp.QuoteMeta(module) + ` ` + regexp.QuoteMeta(version) + `\b`).MatchString(mod) {
			t.Errorf("%s is not at %s any more:\n%s", module, version, mod)
		}
	}
	if got, want := strings.Count(mod, " v"), len(old)+1; got != want {
		t.Errorf("go.mod requires %d modules, want %d:\n%s", got, want, mod)
	}
	for line := range strings.Lines(s.mustRun("go", "mod", "graph")) {
		from, to, _ := strings.Cut(strings.TrimSpace(line), " ")
		module, _, _ := strings.Cut(to, "@")
		if from == library+"@"+rehearsed && module != "go" && module != "golang.org/x/sys" && module != "pgregory.net/rapid" {
			t.Errorf("the library requires %s", to)
		}
	}
}

const user = `package user

import "github.com/coppice-go/coppice/slab"

// Value reads what is not there any more.
func Value() int {
	var numbers slab.Slab[int]
	n := numbers.New()
	numbers.Reset()
	return 1 + *n
}
`

// A new user can get and use the released modules in every way that the documents describe.
func TestNewUser(t *testing.T) {
	testsize.OnlyInFull(t, "compiles the tools and all that they import once more")
	s := newStranger(t)
	s.subtest("tools", runsTheTools)
	s.subtest("flat", keepsTrees)
	s.subtest("migrate", migrates)
	s.subtest("prom", isWatched)
	s.subtest("golangci", lints)
}

func runsTheTools(t *testing.T, s stranger) {
	if got := s.mustRun("go", "run", library+"/cmd/coppice@"+rehearsed, "version"); !strings.HasSuffix(got, "coppice "+rehearsed+"\n") {
		t.Errorf("coppice version printed %q", got)
	}
	s.write("go.mod", "module example.org/user\n\ngo 1.26.0\n")
	s.write("user.go", user)
	s.mustRun("go", "get", library+"@"+rehearsed)
	finding := "user.go:10:13: the *int of a slab.Slab is used after Reset"
	if out, err := s.run("go", "run", library+"/cmd/coppice@"+rehearsed, "vet", "./..."); err == nil || !strings.Contains(out, finding) {
		t.Errorf("go run coppice@version vet: %v\n%s", err, out)
	}
	s.mustRun("go", "get", "-tool", library+"/cmd/coppice@"+rehearsed, library+"/cmd/coppice-vet@"+rehearsed)
	if out, err := s.run("go", "tool", "coppice", "vet", "./..."); err == nil || !strings.Contains(out, finding) {
		t.Errorf("go tool coppice vet: %v\n%s", err, out)
	}
	vet := s.mustRun("go", "tool", "-n", "coppice-vet")
	if out, err := s.run("go", "vet", "-vettool="+strings.TrimSpace(vet), "./..."); err == nil || !strings.Contains(out, finding) {
		t.Errorf("go vet -vettool: %v\n%s", err, out)
	}
	s.mustRun("go", "install", library+"/workloads/binary-trees@"+rehearsed)
}

// isWatched follows the instructions of docs/WATCH.md. A program that imports only package metrics
// must not require the Prometheus client.
func isWatched(t *testing.T, s stranger) {
	s.write("go.mod", "module example.org/watched\n\ngo 1.26.0\n")
	s.write("main.go", `package main

import "github.com/coppice-go/coppice/metrics"

func main() { println(len(new(metrics.Set).Read())) }
`)
	s.mustRun("go", "get", library+"/metrics@"+rehearsed)
	if got := s.mustRun("go", "run", "."); got != "0\n" {
		t.Errorf("a program without containers has %q accounts", got)
	}
	if mod := s.mustRun("cat", "go.mod"); strings.Contains(mod, "prometheus") {
		t.Errorf("package metrics brings Prometheus' client:\n%s", mod)
	}
	s.write("main.go", `package main

import "github.com/coppice-go/coppice/prom"

func main() { println(prom.NewCollector(nil) != nil) }
`)
	s.mustRun("go", "get", library+"/prom@"+rehearsed)
	if got := s.mustRun("go", "run", "."); got != "true\n" {
		t.Errorf("the collector is %q", got)
	}
}

// keepsTrees follows the instructions of flat/README.md with the schema of docs/FLAT.md. The
// program must read back the tree that it has written.
func keepsTrees(t *testing.T, s stranger) {
	schema, err := os.ReadFile(filepath.Join(root, "flat/internal/example/expr/expr.go"))
	if err != nil {
		t.Fatal(err)
	}
	s.write("go.mod", "module example.org/trees\n\ngo 1.26.0\n")
	s.write("expr/expr.go", regexp.MustCompile("(?m)^//go:generate .*\n").ReplaceAllString(string(schema), ""))
	s.write("trees.go", trees)
	s.mustRun("go", "get", "-tool", library+"/cmd/coppice@"+rehearsed)
	s.mustRun("go", "get", library+"/flat@"+rehearsed)
	s.mustRun("go", "tool", "coppice", "flat", "-out", "exprflat", "./expr")
	if got, want := s.mustRun("go", "run", "."), `Bin{Op: 0, L: Var{Name: "x"}, R: Num{Value: 1}}`+"\n"; got != want {
		t.Errorf("the tree is read as %q, want %q", got, want)
	}
	s.mustRun("go", "vet", "./...")
	s.mustRun("go", "test", "./...")
	// A module that contains the generated package no longer needs the tool.
	s.write("go.mod", "module example.org/trees\n\ngo 1.26.0\n")
	s.mustRun("go", "get", library+"/flat@"+rehearsed)
	s.tidied(library, library+"/flat", "golang.org/x/sys")
}

// earlier is a version of the library from before its names changed.
const earlier = "v1.97.0"

// migrates verifies that code for an earlier version of the library compiles with this version
// after coppice migrate and an update of the library.
func migrates(t *testing.T, s stranger) {
	renames := filepath.Join(root, "cmd", "internal", "renames", "testdata")
	old, err := txtar.ParseFile(filepath.Join(renames, "old.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	s.publish(library, earlier, old)
	code, err := txtar.ParseFile(filepath.Join(renames, "changes.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range code.Files {
		if !strings.HasPrefix(f.Name, "want/") {
			s.write(f.Name, string(f.Data))
		}
	}
	s.write("go.mod", "module example.org/user\n\ngo 1.26.0\n")
	s.mustRun("go", "get", library+"@"+earlier)
	s.mustRun("go", "vet", "./...")
	if out := s.mustRun("go", "run", library+"/cmd/coppice@"+rehearsed, "migrate"); !strings.Contains(out, "changed 8 files; nothing to change by hand") {
		t.Errorf("coppice migrate says\n%s", out)
	}
	s.mustRun("go", "get", library+"@"+rehearsed)
	s.mustRun("go", "mod", "tidy")
	s.mustRun("go", "vet", "./...")
	s.mustRun("go", "test", "./...")
}

// publish adds a module with the given files to the proxy.
func (s stranger) publish(path, version string, files *txtar.Archive) {
	s.t.Helper()
	from := s.t.TempDir()
	for _, f := range files.Files {
		name := filepath.Join(from, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			s.t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			s.t.Fatal(err)
		}
	}
	s.offer(path, version)
	out := filepath.Join(s.proxy, filepath.FromSlash(path), "@v")
	mod, err := os.ReadFile(filepath.Join(from, "go.mod"))
	if err != nil {
		s.t.Fatal(err)
	}
	var archive bytes.Buffer
	if err := zip.CreateFromDir(&archive, module.Version{Path: path, Version: version}, from); err != nil {
		s.t.Fatal(err)
	}
	for name, data := range map[string][]byte{version + ".mod": mod, version + ".zip": archive.Bytes()} {
		if err := os.WriteFile(filepath.Join(out, name), data, 0o666); err != nil {
			s.t.Fatal(err)
		}
	}
}

// tidied verifies that go mod tidy finds all packages, including those that the tests of imported
// packages need, and that go.mod then requires exactly the given modules.
func (s stranger) tidied(modules ...string) {
	s.t.Helper()
	s.mustRun("go", "mod", "tidy")
	mod := s.mustRun("cat", "go.mod")
	for _, m := range modules {
		if !strings.Contains(mod, m+" v") {
			s.t.Errorf("go.mod has no %s after go mod tidy:\n%s", m, mod)
		}
	}
	if strings.Count(mod, " v") != len(modules) {
		s.t.Errorf("go.mod has more than %q after go mod tidy:\n%s", modules, mod)
	}
}

const trees = `package main

import (
	"bytes"
	"fmt"

	"example.org/trees/expr"
	"example.org/trees/exprflat"
	"github.com/coppice-go/coppice/flat"
)

func main() {
	b := exprflat.NewBuilder(flat.BuilderOptions{Nodes: 3})
	tree, err := b.Finish(b.Bin(expr.Add, b.Var("x"), b.Num(1)))
	if err != nil {
		panic(err)
	}
	var file bytes.Buffer
	if _, err := tree.WriteTo(&file); err != nil {
		panic(err)
	}
	read, err := exprflat.Read(&file, flat.LoadLimits{})
	if err != nil {
		panic(err)
	}
	fmt.Println(read)
}
`

// A release is one commit with a tag for each module; the tag of the library comes first. A release
// is rejected if there are uncommitted changes, or if its version is not a new one.
func TestPrepare(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	for _, name := range append([]string{"go.mod", "CHANGELOG.md"}, inStep...) {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"config", "user.name", "x"}, {"config", "user.email", "x@example.org"}, {"add", "."}, {"commit", "-qm", "all"}} {
		if _, err := git(dir, args...); err != nil {
			t.Fatal(err)
		}
	}
	release := func(version string) (int, string, string) {
		var out, errs strings.Builder
		code := run([]string{"-root", dir, "-version", version}, &out, &errs)
		return code, out.String(), errs.String()
	}
	if err := os.WriteFile(filepath.Join(dir, "new"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := release("v0.3.0"); code != exitFailure || !strings.Contains(errs, "the working tree has changes (?? new); commit them") {
		t.Errorf("in a dirty tree: exit code %d, %q", code, errs)
	}
	if err := os.Remove(filepath.Join(dir, "new")); err != nil {
		t.Fatal(err)
	}
	code, out, errs := release("v0.3.0")
	if code != exitOK || strings.Index(out, "origin v0.3.0\n") > strings.Index(out, "origin flat/v0.3.0\n") ||
		strings.Index(out, "origin flat/v0.3.0\n") > strings.Index(out, "origin cmd/v0.3.0\n") || !strings.Contains(out, "origin workloads/v0.3.0\n") {
		t.Fatalf("exit code %d, %q, printed\n%s", code, errs, out)
	}
	for _, tag := range []string{"v0.3.0", "flat/v0.3.0", "prom/v0.3.0", "cmd/v0.3.0", "golangci/v0.3.0", "workloads/v0.3.0"} {
		at, err := git(dir, "rev-list", "-n", "1", tag)
		if head, _ := git(dir, "rev-parse", "HEAD"); err != nil || at != head {
			t.Errorf("tag %s is at %q (%v), want %q", tag, at, err, head)
		}
	}
	for _, name := range inStep {
		named := library + " v0.3.0"
		if filepath.Ext(name) == ".yaml" {
			named = library + "/cmd/coppice@v0.3.0]\n"
		}
		if data, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.Contains(string(data), named) {
			t.Errorf("%s does not name v0.3.0 (%v):\n%s", name, err, data)
		} else if strings.Contains(string(data), library+"/flat v0.1.0") || strings.Contains(string(data), library+"/cmd v0.1.0") {
			t.Errorf("%s names v0.1.0:\n%s", name, data)
		}
	}
	before, err := git(dir, "show", "HEAD~:go.work")
	if after, _ := git(dir, "show", "HEAD:go.work"); err != nil || after != regexp.MustCompile(`v\S+ =>`).ReplaceAllString(before, "v0.3.0 =>") {
		t.Errorf("more than the version has changed in go.work (%v), which was\n%s\nand is\n%s", err, before, after)
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "CHANGELOG.md")); !strings.Contains(string(data), "## Unreleased\n\n## v0.3.0, 20") {
		t.Errorf("CHANGELOG.md begins\n%.200s", data)
	}
	if code, _, errs := release("v0.2.9"); code != exitFailure || !strings.Contains(errs, "v0.3.0 is out already") {
		t.Errorf("an earlier version: exit code %d, %q", code, errs)
	}
}

func TestBadInput(t *testing.T) {
	for _, args := range [][]string{nil, {"-version", "1.2.3"}, {"-version", "v1.2"}, {"-version", "v2.0.0"}, {"-version", "v1.2.3", "more"}, {"-nothing"}} {
		var out, errs strings.Builder
		if code := run(args, &out, &errs); code != exitUsage || errs.Len() == 0 || out.Len() > 0 {
			t.Errorf("release %v: exit code %d, %q", args, code, errs.String())
		}
	}
}

// A program that imports slab downloads only the library's module, which must be small. The rest of
// the repository is in separate modules, because users do not import it (docs/decisions/0042).
func TestLibraryIsSmall(t *testing.T) {
	s := newStranger(t)
	s.write("go.mod", "module example.org/user\n\ngo 1.26.0\n")
	s.write("user.go", user)
	s.mustRun("go", "get", library+"/slab@"+rehearsed)
	s.mustRun("go", "build", "./...")
	const most = 1_100_000 // bytes
	downloads := filepath.Join(s.cache, "cache", "download")
	err := filepath.WalkDir(downloads, func(path string, d os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".zip" {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		t.Logf("%s has %d bytes", path[len(downloads)+1:], info.Size())
		if filepath.ToSlash(path[len(downloads)+1:]) != library+"/@v/"+rehearsed+".zip" {
			t.Errorf("%s is downloaded too", path)
		} else if info.Size() > most {
			t.Errorf("the library's module is a zip of %d bytes: must be at most %d; give what its users do not import a module of its own", info.Size(), most)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s.tidied(library)
}

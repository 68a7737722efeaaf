package traps

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A bench is one module with all traps, before and after their changes, and programs that have the
// checks of all of them as functions: linking a program for each check would take most of the time.
type bench struct {
	folder  string
	states  map[string]*state
	program map[string]string // by configuration; that without any is ""
}

// A state is a trap before or after its change.
type state struct {
	trap    *trap
	name    string // of the folder: NAME/before, NAME/after, NAME/reset
	files   map[string][]byte
	broken  map[string]string // what the compiler says, by configuration
	missing map[string]int    // how many packages have no files, by configuration
	vet     string            // what vet says
	failed  string            // what tests say, if they fail
}

const benchPath = "example.com/bench"

// newBench writes the module, builds everything, and asks vet.
func newBench(folder string, plans []*plan) (*bench, error) {
	b := &bench{folder: folder, states: map[string]*state{}, program: map[string]string{}}
	for _, p := range plans {
		b.add(p.trap, "before", p.files)
		if p.after != nil {
			b.add(p.trap, "after", p.after)
			if p.reset != nil {
				files := maps.Clone(p.after)
				files[checkFile] = p.reset
				b.add(p.trap, "reset", files)
			}
		}
	}
	root, err := filepath.Abs(repository)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{"go.mod": fmt.Appendf(nil, "module %s\n\ngo 1.26.0\n\nrequire github.com/coppice-go/coppice v0.1.0\n\nreplace github.com/coppice-go/coppice v0.1.0 => %s\n", benchPath, root)}
	for _, p := range plans {
		files["go.mod"] = append(files["go.mod"], p.requires(filepath.Join(folder, p.name, "before"))...)
	}
	if err := write(folder, modulePath, files); err != nil {
		return nil, err
	}
	for _, s := range b.states {
		if err := write(filepath.Join(folder, s.name), benchPath+"/"+s.name, s.files); err != nil {
			return nil, err
		}
	}
	b.note("", b.run(nil, "build", "-trimpath", "./..."))
	return b, b.link("", nil)
}

// requires returns the lines of a go.mod for the modules that a trap has in folders of its own, and
// that its go.mod replaces.
func (t *trap) requires(folder string) (lines string) {
	for name, data := range t.files {
		if path.Base(name) != "go.mod" || name == "go.mod" {
			continue
		}
		if found := moduleLine.FindSubmatch(data); found != nil {
			lines += fmt.Sprintf("\nrequire %[1]s v0.0.0\n\nreplace %[1]s v0.0.0 => %[2]s\n", found[1], filepath.Join(folder, path.Dir(name)))
		}
	}
	return lines
}

var moduleLine = regexp.MustCompile(`(?m)^module (\S+)$`)

// add adds a state, whose program becomes a package with a function Main.
func (b *bench) add(t *trap, when string, files map[string][]byte) {
	s := &state{trap: t, name: t.name + "/" + when, files: map[string][]byte{}, broken: map[string]string{}, missing: map[string]int{}}
	for name, data := range files {
		if name != "go.mod" && name != "go.sum" {
			s.files[name] = asPackage(name, data)
		}
	}
	b.states[s.name] = s
}

var (
	packageMain = regexp.MustCompile(`(?m)^package main$`)
	funcMain    = regexp.MustCompile(`(?m)^func main\(\)`)
)

// asPackage makes a file of a program one of a package.
func asPackage(name string, data []byte) []byte {
	if path.Ext(name) != ".go" {
		return data
	}
	data = packageMain.ReplaceAll(data, []byte("package check"))
	return funcMain.ReplaceAll(data, []byte("func Main()"))
}

// run runs the go command in the bench, and returns what it prints.
func (b *bench) run(env []string, args ...string) string {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = b.folder, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.CombinedOutput()
	if err == nil {
		return ""
	}
	return string(out)
}

var ofState = regexp.MustCompile(`([\w-]+/(?:before|after|reset))\b`)

// note records which states the compiler complains of.
func (b *bench) note(c, output string) {
	for line := range strings.Lines(output) {
		if m := ofState.FindString(line); b.states[m] != nil {
			b.states[m].broken[c] += line
		}
	}
}

// link links the checks of the states that compile.
func (b *bench) link(c string, flags []string) error {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(b.states)) {
		s := b.states[name]
		if s.broken[c] == "" && (c == "" || slices.ContainsFunc(s.trap.configs, func(other config) bool { return other.String() == c })) {
			names = append(names, name)
		}
	}
	imports, table := "", ""
	for i, name := range names {
		folder := "/check"
		if b.states[name].trap.isProgram() {
			folder = ""
		}
		imports += fmt.Sprintf("\tcheck%d %q\n", i, benchPath+"/"+name+folder)
		table += fmt.Sprintf("\t%q: check%d.Main,\n", name, i)
	}
	number := fmt.Sprint(len(b.program))
	file := filepath.Join(b.folder, "program"+number, "main.go")
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	source := "package main\n\nimport (\n\t\"os\"\n\n" + imports + ")\n\nvar checks = map[string]func(){\n" + table + "}\n\nfunc main() { checks[os.Args[1]]() }\n"
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		return err
	}
	b.program[c] = filepath.Join(b.folder, "checks"+number)
	args := slices.Concat([]string{"build", "-trimpath", "-o", b.program[c]}, flags, []string{"./program" + number})
	if out := b.run(nil, args...); out != "" {
		return fmt.Errorf("go %s: %s", strings.Join(args, " "), out)
	}
	return nil
}

// configure builds the other configurations, each once for all traps that name it: those whose
// modules change, because the others stay as they are.
func (b *bench) configure() error {
	of := map[string][]*state{}
	configs := map[string]config{}
	for _, s := range b.states {
		if b.states[s.trap.name+"/after"] == nil {
			continue
		}
		for _, c := range s.trap.configs {
			of[c.String()] = append(of[c.String()], s)
			configs[c.String()] = c
		}
	}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		c := configs[name]
		args := slices.Concat([]string{"build", "-trimpath"}, c.flags)
		for _, s := range of[name] {
			there, err := b.there(c, s.folders(c.runs()))
			if err != nil {
				return err
			}
			s.missing[name] = len(s.folders(c.runs())) - len(there)
			args = append(args, there...)
		}
		b.note(name, b.run(c.env, args...))
		if c.runs() {
			if err := b.link(name, c.flags); err != nil {
				return err
			}
		}
	}
	return nil
}

// there returns the folders that have files in a configuration.
func (b *bench) there(c config, folders []string) (all []string, err error) {
	if c.runs() {
		return folders, nil
	}
	cmd := exec.Command("go", slices.Concat([]string{"list", "-e", "-f", "{{or (len .GoFiles) (len .CgoFiles)}}"}, c.flags, folders)...)
	cmd.Dir, cmd.Env = b.folder, slices.Concat(os.Environ(), []string{"GOWORK=off", "GOFLAGS=-mod=mod"}, c.env)
	out, err := cmd.Output()
	counts := strings.Fields(string(out))
	if err == nil && len(counts) != len(folders) {
		err = fmt.Errorf("go list says %q of %q", counts, folders)
	}
	for i, folder := range folders {
		if err == nil && counts[i] != "0" {
			all = append(all, folder)
		}
	}
	return all, err
}

// folders returns the packages of a state: without the check for another system, which would need
// its standard library.
func (s *state) folders(check bool) (all []string) {
	for name := range s.files {
		folder := "./" + path.Join(s.name, path.Dir(name))
		if path.Ext(name) == ".go" && (check || path.Base(folder) != "check") && !slices.Contains(all, folder) {
			all = append(all, folder)
		}
	}
	slices.Sort(all)
	return all
}

// vet asks vet about the states after a change, and about those before it where it complains.
func (b *bench) vet() {
	ask := func(names []string) (complaints []string) {
		args := []string{"vet"}
		for _, name := range names {
			args = append(args, "./"+name+"/...")
		}
		if len(names) == 0 {
			return nil
		}
		for line := range strings.Lines(b.run(nil, args...)) {
			if s := b.states[ofState.FindString(line)]; s != nil && s.broken[""] == "" {
				s.vet += line
				complaints = append(complaints, s.name)
			}
		}
		return complaints
	}
	var names, before []string
	for _, name := range slices.Sorted(maps.Keys(b.states)) {
		if strings.HasSuffix(name, "/after") {
			names = append(names, name)
		}
	}
	for _, name := range ask(names) {
		if name = path.Dir(name) + "/before"; !slices.Contains(before, name) {
			before = append(before, name)
		}
	}
	ask(before)
}

// test runs the tests of the states that have some.
func (b *bench) test() {
	args := []string{"test"}
	for _, name := range slices.Sorted(maps.Keys(b.states)) {
		s := b.states[name]
		hasTests := slices.ContainsFunc(slices.Collect(maps.Keys(s.files)), func(file string) bool { return strings.HasSuffix(file, "_test.go") })
		if hasTests && s.broken[""] == "" {
			args = append(args, "./"+name)
		}
	}
	if len(args) == 1 {
		return
	}
	for line := range strings.Lines(b.run(nil, args...)) {
		if s := b.states[ofState.FindString(line)]; s != nil && strings.HasPrefix(line, "FAIL") {
			s.failed += line
		}
	}
}

// output runs the check of a state, and returns what it prints and how it ends.
func (b *bench) output(name, config string) string {
	const most = time.Minute
	ctx, stop := context.WithTimeout(context.Background(), most)
	defer stop()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, b.program[config], name)
	cmd.Dir, cmd.Stdout = b.folder, &out
	if err := cmd.Run(); err != nil {
		fmt.Fprintf(&out, "it ends with: %v\n", err)
	}
	return out.String()
}

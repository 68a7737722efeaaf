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

// A bench is a module that contains all traps, before and after their changes. All checks are
// functions of a few programs, because linking one program per check would take most of the time.
type bench struct {
	folder  string
	states  map[string]*state
	program map[string]string // by configuration; "" for the default one
}

// A state is a trap before or after its change.
type state struct {
	trap    *trap
	name    string // of the folder: NAME/before, NAME/after, NAME/reset
	files   map[string][]byte
	broken  map[string]string // compiler errors, by configuration
	missing map[string]int    // number of packages without files, by configuration
	vet     string            // complaints of go vet
	failed  string            // failures of the tests
}

const benchPath = "example.com/bench"

// newBench writes the module, and builds all packages and the program for the default
// configuration.
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

// requires returns the go.mod lines that require and replace the trap's modules in subfolders.
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

// add adds a state of a trap. Its main packages become packages with a function Main.
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

// asPackage converts a file of package main to package check, and func main to func Main.
func asPackage(name string, data []byte) []byte {
	if path.Ext(name) != ".go" {
		return data
	}
	data = packageMain.ReplaceAll(data, []byte("package check"))
	return funcMain.ReplaceAll(data, []byte("func Main()"))
}

// run runs the go command in the module. It returns the output if the command fails, and otherwise
// "".
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

// note assigns the compiler's errors to the states that they concern.
func (b *bench) note(c, output string) {
	for line := range strings.Lines(output) {
		if m := ofState.FindString(line); b.states[m] != nil {
			b.states[m].broken[c] += line
		}
	}
}

// link builds the program for configuration c. It contains the checks of all states that compile in
// c.
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

// configure builds the module in the other configurations. Each configuration is built once for all
// traps that list it. Traps that are not changed are omitted, because nothing can differ.
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
			there, err := b.foldersIn(c, s.folders(c.runs()))
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

// foldersIn returns the folders that contain files in a configuration.
func (b *bench) foldersIn(c config, folders []string) (all []string, err error) {
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

// folders returns the package folders of a state. Unless check is set, the check is omitted. It is
// not built for another system, which would require that system's standard library.
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

// vet runs go vet on all states after a change. If it complains, vet also runs it on the state
// before the change.
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

// test runs the tests of all states that have tests and compile.
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

// output runs the check of a state, and returns its output. If the check fails, the last line is
// the error.
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

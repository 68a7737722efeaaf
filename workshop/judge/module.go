package main

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/txtar"
)

//go:embed modules
var archives embed.FS

// A module is a third-party module in which judge runs coppice, as its archive describes it.
type module struct {
	name     string
	path     string   // module path with the version
	standard []string // instead of path: packages of the standard library to copy into a module
	pkg      string   // package path relative to the module's root
	bench    string
	arena    string // function for -arena; empty for none
	files    []txtar.File
}

// title returns the text of the first column of the table: the module and the benchmark.
func (m module) title() string {
	from := m.path
	if from == "" {
		from = m.standard[0] + ", a copy"
	}
	return fmt.Sprintf("%s, `%s`", from, strings.TrimSuffix(m.bench, "$"))
}

// read reads the archives with the given names, or all archives if there are no names.
func read(names []string) (all []module, err error) {
	entries, err := archives.ReadDir("modules")
	if err != nil {
		return nil, err
	}
	var known []string
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".txtar")
		known = append(known, name)
		if len(names) > 0 && !slices.Contains(names, name) {
			continue
		}
		text, err := fs.ReadFile(archives, path.Join("modules", e.Name()))
		if err != nil {
			return nil, err
		}
		m, err := parse(name, text)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("no module %q; there are %s", name, strings.Join(known, ", "))
		}
	}
	return all, nil
}

// parse parses the archive with the given name.
func parse(name string, text []byte) (module, error) {
	archive := txtar.Parse(text)
	m := module{name: name, files: archive.Files}
	for line := range strings.Lines(string(archive.Comment)) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		field := map[string]*string{"module": &m.path, "package": &m.pkg, "bench": &m.bench, "arena": &m.arena}[key]
		switch {
		case ok && key == "standard":
			m.standard = strings.Fields(value)
		case ok && field != nil:
			*field = value
		default:
			return m, fmt.Errorf("%s.txtar: %q is not known", name, line)
		}
	}
	if (m.path == "") == (m.standard == nil) || m.pkg == "" || m.bench == "" {
		return m, fmt.Errorf("%s.txtar: wants a module or a package of the standard library, a package and a benchmark", name)
	}
	return m, nil
}

// copy creates a repository that contains the module and the files of its archive, and returns its
// folder. With -arena, the module also requires the library from this repository.
func (j *judge) copy(ctx context.Context, m module) (folder string, err error) {
	folder = filepath.Join(j.out, m.name)
	if j.arena {
		folder += "-arena"
	}
	if err := os.RemoveAll(folder); err != nil {
		return "", err
	}
	if err := j.fetch(ctx, m, folder); err != nil {
		return "", err
	}
	for _, f := range m.files {
		name := filepath.Join(folder, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			return "", err
		}
	}
	commands := [][]string{{"git", "init", "--quiet"}}
	if j.arena {
		const library = "github.com/coppice-go/coppice"
		commands = slices.Insert(commands, 0,
			[]string{"go", "mod", "edit", "-require=" + library + "@v0.1.0", "-replace=" + library + "=" + j.root},
			[]string{"go", "get", library + "@v0.1.0"})
	}
	for _, c := range commands {
		if _, err := output(ctx, folder, c...); err != nil {
			return "", err
		}
	}
	return folder, commit(ctx, folder, "as published")
}

// commit commits all files of the repository in a folder.
func commit(ctx context.Context, folder, message string) error {
	for _, c := range [][]string{
		{"git", "add", "--all"},
		{"git", "-c", "user.name=judge", "-c", "user.email=judge@example.com", "commit", "--quiet", "--message", message},
	} {
		if _, err := output(ctx, folder, c...); err != nil {
			return err
		}
	}
	return nil
}

// fetch creates the folder and writes the module to it as it was published.
func (j *judge) fetch(ctx context.Context, m module, folder string) error {
	if m.standard == nil {
		text, err := output(ctx, j.out, "go", "mod", "download", "-json", m.path)
		if err != nil {
			return err
		}
		var said struct{ Dir string }
		if err := json.Unmarshal(text, &said); err != nil {
			return err
		}
		return os.CopyFS(folder, os.DirFS(said.Dir))
	}
	root, err := output(ctx, j.root, "go", "env", "GOROOT")
	if err != nil {
		return err
	}
	source := filepath.Join(strings.TrimSpace(string(root)), "src")
	var renames []string // old and new import paths of the packages, which import each other
	for _, p := range m.standard {
		if err := os.CopyFS(filepath.Join(folder, p), os.DirFS(filepath.Join(source, p))); err != nil {
			return err
		}
		renames = append(renames, strconv.Quote(p), strconv.Quote("example.com/standard/"+p))
	}
	return filepath.WalkDir(folder, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(name, ".go") || strings.Contains(name, "testdata") {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(name, []byte(strings.NewReplacer(renames...).Replace(string(text))), 0o644)
	})
}

// quoted returns the command quoted for a shell.
func quoted(args []string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		if quoted[i] = a; strings.ContainsAny(a, "$ '") {
			quoted[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

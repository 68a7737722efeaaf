package traps

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

const (
	modulePath  = "example.com/calc" // in archives
	repository  = "../../../.."      // root of the library; REPOSITORY in archives
	placeholder = "REPOSITORY"
	checkFile   = "check/main.go"
	resetFile   = "reset/main.go"
)

// checked contains the build flags that enable the library's checks.
var checked = []string{"-tags", "coppice_checks"}

// A trap is a module that is designed to mislead coppice fix, or one that coppice fix must change.
type trap struct {
	name    string
	mayEdit bool              // edits are allowed
	must    bool              // each site must be edited
	only    []string          // supported architectures; empty for all
	arena   string            // the function that gets an arena
	reset   []byte            // uses the arena; must print the check's output
	configs []config          // additional configurations that must build
	files   map[string][]byte // by slash-separated name
}

// A config is a way to build a module, with environment variables and flags.
type config struct{ env, flags []string }

func (c config) String() string { return strings.Join(slices.Concat(c.env, c.flags), " ") }

// runs reports whether a program that was built with c can run on this machine.
func (c config) runs() bool { return len(c.env) == 0 }

// parse parses an archive. must reports whether each site must be edited.
func parse(name string, data []byte, must bool) (*trap, error) {
	archive := txtar.Parse(data)
	t := &trap{name: name, must: must, mayEdit: must, files: map[string][]byte{}}
	about := 0
	for line := range strings.Lines(string(archive.Comment)) {
		line = strings.TrimSpace(line)
		list, isConfigs := strings.CutPrefix(line, "configs:")
		switch {
		case isConfigs:
			for _, text := range strings.Split(list, ";") {
				t.configs = append(t.configs, parseConfig(text))
			}
		case line == "may edit":
			t.mayEdit = true
		case strings.HasPrefix(line, "arena: "):
			t.arena = strings.Fields(line)[1]
			t.configs = append(t.configs, config{flags: checked})
		case strings.HasPrefix(line, "only: "):
			t.only = strings.Fields(line)[1:]
		case line != "":
			about++
		}
	}
	if about == 0 {
		return nil, fmt.Errorf("the comment of %s does not say what is special", name)
	}
	root, err := filepath.Abs(repository)
	if err != nil {
		return nil, err
	}
	for _, f := range archive.Files {
		t.files[f.Name] = bytes.ReplaceAll(f.Data, []byte(placeholder), []byte(root))
	}
	t.reset = t.files[resetFile]
	delete(t.files, resetFile)
	if t.files["go.mod"] == nil || len(t.sites()) == 0 {
		return nil, fmt.Errorf("%s has no go.mod, or no line that ends in //site:REMEDY", name)
	}
	return t, nil
}

func parseConfig(text string) (c config) {
	for _, word := range strings.Fields(text) {
		if strings.HasPrefix(word, "-") || len(c.flags) > 0 {
			c.flags = append(c.flags, word)
		} else {
			c.env = append(c.env, word)
		}
	}
	return c
}

// read reads the archives in a folder of testdata.
func read(folder string, must bool) (all []*trap, err error) {
	names, err := filepath.Glob(filepath.Join("testdata", folder, "*.txtar"))
	if err != nil {
		return nil, err
	}
	for _, file := range names {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		t, err := parse(strings.TrimSuffix(filepath.Base(file), ".txtar"), data, must)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

// elsewhere reports whether a trap does not support this architecture.
func (t *trap) elsewhere() bool { return len(t.only) > 0 && !slices.Contains(t.only, runtime.GOARCH) }

// path returns the module path under which a trap is loaded. Each trap has its own path, so that
// all traps can be loaded at once.
func (t *trap) path() string { return "example.com/" + t.name }

var (
	marker   = regexp.MustCompile(`//site:([\w-]+)(?: (\S+)\.(\w+))?$`)
	function = regexp.MustCompile(`^func (?:\((?:\w+ )?(\*?)(\w+)(?:\[[^)]*\])?\) )?(\w+)`)
)

// A mark is a line that ends with //site: and the name of a remedy.
type mark struct {
	file, function string
	line           int
	remedy         site.Remedy
	leaf           *site.Place // the function in another package that allocates
}

func (m mark) place() string { return fmt.Sprintf("%s:%d: ", m.file, m.line) }

// sites returns the marks in the files of the root package.
func (t *trap) sites() (all []mark) {
	for name, data := range t.files {
		if strings.Contains(name, "/") || !strings.HasSuffix(name, ".go") {
			continue
		}
		now, number := "", 0
		for text := range strings.Lines(string(data)) {
			number++
			if f := function.FindStringSubmatch(text); f != nil {
				now = qualified(f[1], f[2], f[3])
			}
			if m := marker.FindStringSubmatch(strings.TrimRight(text, "\r\n")); m != nil {
				s := mark{file: name, function: now, line: number, remedy: site.Remedy(m[1])}
				if m[2] != "" {
					s.leaf = &site.Place{Package: m[2], Function: m[3]}
				}
				all = append(all, s)
			}
		}
	}
	slices.SortFunc(all, func(a, b mark) int { return strings.Compare(a.file, b.file)*1_000_000 + a.line - b.line })
	return all
}

// qualified returns a function name in the format of profiles, such as (*T).Name.
func qualified(star, receiver, name string) string {
	switch {
	case receiver == "":
		return name
	case star == "":
		return receiver + "." + name
	}
	return "(*" + receiver + ")." + name
}

// remedies returns the remedies of all sites, without duplicates.
func (t *trap) remedies() (all []site.Remedy) {
	for _, m := range t.sites() {
		if !slices.Contains(all, m.remedy) {
			all = append(all, m.remedy)
		}
	}
	return all
}

// library reports whether the module requires Coppice.
func (t *trap) library() bool {
	return bytes.Contains(t.files["go.mod"], []byte("require github.com/coppice-go/coppice "))
}

// write writes files to a folder, and replaces the archives' module path by the given path.
func write(folder, path string, files map[string][]byte) error {
	for name, data := range files {
		file := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(file, bytes.ReplaceAll(data, []byte(modulePath), []byte(path)), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// inSample reports whether a trap belongs to a sample of one trap in k. This depends only on the
// trap's name, so adding or removing a trap does not affect which of the others are in the sample.
func (t *trap) inSample(k uint64) bool {
	h := fnv.New64a()
	h.Write([]byte(t.name))
	return h.Sum64()%k == 0
}

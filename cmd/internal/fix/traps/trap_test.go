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
	modulePath  = "example.com/calc" // as archives write it
	repository  = "../../../.."      // the folder of the library, which archives call REPOSITORY
	placeholder = "REPOSITORY"
	checkFile   = "check/main.go"
	resetFile   = "reset/main.go"
)

// checked are the flags that turn on the library's checks.
var checked = []string{"-tags", "coppice_checks"}

// A trap is a module that is made to mislead coppice fix, or one in which it must not hesitate.
type trap struct {
	name    string
	mayEdit bool              // an edit is allowed
	must    bool              // an edit of every site is wanted
	only    []string          // the architectures that it is for; all without any
	arena   string            // the function that gets a form with an arena
	reset   []byte            // a program that uses this form, and must print what the check prints
	configs []config          // that must build too
	files   map[string][]byte // by name, slashes between folders
}

// A config is another way to build a module: variables of the environment, and flags.
type config struct{ env, flags []string }

func (c config) String() string { return strings.Join(slices.Concat(c.env, c.flags), " ") }

// runs reports whether a program that is built that way runs here.
func (c config) runs() bool { return len(c.env) == 0 }

// parse reads an archive. Those in folder edit want an edit.
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

// read reads the archives of a folder of testdata.
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

// elsewhere reports whether a trap is for other architectures than this.
func (t *trap) elsewhere() bool { return len(t.only) > 0 && !slices.Contains(t.only, runtime.GOARCH) }

// path returns the module path under which a trap is loaded. Each has its own, so that all can be
// loaded at once.
func (t *trap) path() string { return "example.com/" + t.name }

var (
	marker   = regexp.MustCompile(`//site:([\w-]+)(?: (\S+)\.(\w+))?$`)
	function = regexp.MustCompile(`^func (?:\((?:\w+ )?(\*?)(\w+)(?:\[[^)]*\])?\) )?(\w+)`)
)

// A mark is a line of a file of the package that is a site of a remedy.
type mark struct {
	file, function string
	line           int
	remedy         site.Remedy
	leaf           *site.Place // the function of another package that allocates
}

func (m mark) place() string { return fmt.Sprintf("%s:%d: ", m.file, m.line) }

// sites returns the marked lines.
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

// qualified returns the name of a function as a profile has it: (*T).Name.
func qualified(star, receiver, name string) string {
	switch {
	case receiver == "":
		return name
	case star == "":
		return receiver + "." + name
	}
	return "(*" + receiver + ")." + name
}

// remedies returns the remedies of the sites, each once.
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

// write writes files below a folder, with another module path than archives have.
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

// inSample reports whether a trap is in the sample of one in k. It depends on its name alone, so a
// trap that comes or goes leaves the rest of the sample as it was.
func (t *trap) inSample(k uint64) bool {
	h := fnv.New64a()
	h.Write([]byte(t.name))
	return h.Sum64()%k == 0
}

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
)

// A hook is an entry of a pre-commit configuration, with the fields that this repository uses.
type hook struct {
	ID            string   `yaml:"id"`
	Name          string   `yaml:"name"`
	Description   string   `yaml:"description"`
	Language      string   `yaml:"language"`
	Installed     []string `yaml:"additional_dependencies"`
	Entry         string   `yaml:"entry"`
	PassFilenames *bool    `yaml:"pass_filenames"`
	Serial        bool     `yaml:"require_serial"`
	Types         []string `yaml:"types"`
}

// hooks reads the hooks that the repository offers to pre-commit.
func hooks(t *testing.T) (all []hook) {
	t.Helper()
	text, err := os.ReadFile("../../.pre-commit-hooks.yaml")
	if err == nil {
		err = yaml.Load(text, &all, yaml.WithKnownFields())
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestPreCommitHook verifies that the pre-commit hook installs this command at the released version
// of the library, and that its entry fails on code with a finding and passes on code without one.
func TestPreCommitHook(t *testing.T) {
	all := hooks(t)
	if len(all) != 1 {
		t.Fatalf("there are %d hooks", len(all))
	}
	h := all[0]
	work, err := os.ReadFile("../../go.work")
	if err != nil {
		t.Fatal(err)
	}
	released := regexp.MustCompile(`github.com/coppice-go/coppice (v\S+) =>`).FindSubmatch(work)
	if released == nil {
		t.Fatal("go.work replaces no version of the library")
	}
	want := "github.com/coppice-go/coppice/cmd/coppice@" + string(released[1])
	if h.Language != "golang" || !slices.Equal(h.Installed, []string{want}) || h.PassFilenames == nil || *h.PassFilenames {
		t.Errorf("the hook is %+v, want one that installs %s and passes no names", h, want)
	}
	command := strings.Fields(h.Entry)
	if command[0] != "coppice" {
		t.Fatalf("the entry is %q, want coppice, which is what is installed", h.Entry)
	}
	for put, code := range map[string]int{"": cli.ExitOK, "pool.Put(b)": cli.ExitFailure} {
		t.Chdir(t.TempDir())
		for name, text := range map[string]string{"go.mod": "module example.org/m\n\ngo 1.24\n", "m.go": strings.Replace(pooled, "PUT", put, 1)} {
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		var stdout, stderr bytes.Buffer
		if got := run(t.Context(), command[1:], &stdout, &stderr); got != code {
			t.Errorf("with %q the hook ends with %d, want %d:\n%s%s", put, got, code, &stdout, &stderr)
		}
	}
}

// pooled is a file that has a finding if PUT is replaced with a second Put.
const pooled = `package m

import (
	"bytes"
	"sync"
)

var pool sync.Pool

func keep(b *bytes.Buffer) {
	pool.Put(b)
	PUT
}
`

// TestEditorsManual verifies that the configuration files quoted in docs/EDITORS.md can be parsed,
// and that they name the existing hook and the existing vet tool.
func TestEditorsManual(t *testing.T) {
	data, err := os.ReadFile("../../docs/EDITORS.md")
	if err != nil {
		t.Fatal(err)
	}
	manual := string(data)
	block := func(language, with string) string {
		for _, m := range regexp.MustCompile("(?s)\n```"+language+"\n(.*?)```\n").FindAllStringSubmatch(manual, -1) {
			if strings.Contains(m[1], with) {
				return m[1]
			}
		}
		t.Fatalf("docs/EDITORS.md has no block of %s with %s", language, with)
		return ""
	}
	var settings struct {
		OnSave string   `json:"go.vetOnSave"`
		Flags  []string `json:"go.vetFlags"`
	}
	decoder := json.NewDecoder(strings.NewReader(block("json", "go.vetFlags")))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&settings); err != nil {
		t.Error(err)
	}
	tool, isFlag := strings.CutPrefix(strings.Join(settings.Flags, " "), "-vettool=")
	if _, err := os.Stat(filepath.Join("..", filepath.Base(tool), "main.go")); err != nil || !isFlag {
		t.Errorf("the settings of VS Code have the flags %q: %v", settings.Flags, err)
	}
	for _, with := range []string{"rev:", "repo: local"} {
		var config struct {
			Repos []struct {
				Repo, Rev string
				Hooks     []hook
			}
		}
		if err := yaml.Load([]byte(block("yaml", with)), &config, yaml.WithKnownFields()); err != nil {
			t.Error(err)
		} else if len(config.Repos) != 1 || len(config.Repos[0].Hooks) != 1 || config.Repos[0].Hooks[0].ID != hooks(t)[0].ID {
			t.Errorf("a file of pre-commit in docs/EDITORS.md is %+v", config)
		}
	}
	if format := block("vim", "errorformat"); !strings.Contains(format, `%f:%l:%c:\ %m`) {
		t.Errorf("vim reads findings as %s", format)
	}
}

package builds

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write what the package says into testdata")

// A testcase is an archive from testdata: the files of a module that requires no other modules. In
// the archive's comment, each line that begins with env: adds a variable to the environment of a
// plain linux/amd64 build without cgo, the line that begins with packages: lists the packages that
// change, and the line that begins with names: lists the names for which Mentions searches. The
// file edit/FILE contains FILE as it is after the edit. The file want contains the expected output
// of says.
type testcase struct {
	archive         *txtar.Archive
	folder          string
	env             []string
	packages, names []string
	overlay         map[string][]byte
}

func open(t *testing.T, name string) *testcase {
	t.Helper()
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	c := &testcase{archive: archive, folder: t.TempDir(), env: plain(), overlay: map[string][]byte{}}
	for line := range strings.Lines(string(archive.Comment)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "env":
			c.env = append(c.env, value)
		case "packages":
			c.packages = strings.Fields(value)
		case "names":
			c.names = strings.Fields(value)
		}
	}
	for _, f := range archive.Files {
		if edited, ok := strings.CutPrefix(f.Name, "edit/"); ok {
			c.overlay[filepath.Join(c.folder, edited)] = f.Data
		} else if f.Name != "want" {
			write(t, filepath.Join(c.folder, f.Name), string(f.Data))
		}
	}
	return c
}

// plain returns an environment for linux/amd64 without cgo that does not depend on the machine.
func plain() []string {
	return append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0", "GOFLAGS=", "GOEXPERIMENT=", "GOWORK=off", "GOPROXY=off", "GOAMD64=v1")
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// says returns the results of the package for the testcase as one string: the configurations, the
// files that are left out, the errors of the edit, the unchecked files, and the mentions in these
// files.
func (c *testcase) says(t *testing.T) string {
	t.Helper()
	ctx := context.Background()
	s, err := Of(ctx, c.folder, c.env, c.packages...)
	if err != nil {
		t.Fatal(err)
	}
	if s.HasWords() {
		if err := s.AddOtherWords(ctx); err != nil {
			t.Fatal(err)
		}
	}
	var b strings.Builder
	for _, config := range s.Configs {
		fmt.Fprintf(&b, "config %s\n", config)
	}
	for _, f := range s.Left {
		fmt.Fprintf(&b, "left %s: %d", s.Short(f.Name), len(f.Configs))
		if f.Why != "" {
			fmt.Fprintf(&b, ", %s", f.Why)
		}
		fmt.Fprintln(&b)
	}
	unknown, err := s.Check(ctx, c.overlay, nil)
	for _, u := range unknown {
		fmt.Fprintln(&b, u)
	}
	if err != nil {
		fmt.Fprintf(&b, "error %s\n", strings.ReplaceAll(err.Error(), "; ", "\n\t"))
	}
	unchecked, err := s.Unchecked(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range unchecked {
		fmt.Fprintf(&b, "unchecked %s\n", s.Short(f.Name))
	}
	for _, f := range unchecked {
		all, err := Mentions(f.Name, c.names...)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range all {
			m.File = s.Short(m.File)
			fmt.Fprintf(&b, "mention %s\n", m)
		}
	}
	return b.String()
}

func TestConfigs(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			c := open(t, name)
			got := c.says(t)
			at := slices.IndexFunc(c.archive.Files, func(f txtar.File) bool { return f.Name == "want" })
			if *update {
				if at < 0 {
					at = len(c.archive.Files)
					c.archive.Files = append(c.archive.Files, txtar.File{Name: "want"})
				}
				c.archive.Files[at].Data = []byte(got)
				if err := os.WriteFile(name, txtar.Format(c.archive), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if at < 0 || string(c.archive.Files[at].Data) != got {
				t.Errorf("the package says\n%s", got)
			}
		})
	}
}

package runner

import (
	"archive/zip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
)

// tree writes the files to a new folder and returns its path.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// TestProgramOf verifies which files are part of a contender's program hash. Two contenders are the
// same program if their commands, settings and files are equal.
func TestProgramOf(t *testing.T) {
	files := map[string]string{"main.js": "1", "part.js": "2", "classes/A.class": "3", "classes/B.class": "4", "bin": "5"}
	root := tree(t, files)
	of := func(root string, c experiment.Contender) string {
		if len(c.Run) > 0 && strings.Contains(strings.Join(c.Run, " "), "{bin}/") || c.Name == "classes" {
			return programOf(root, c, filepath.Join(root, "classes"))
		}
		return programOf(root, c, filepath.Join(root, "bin"))
	}
	for _, c := range []struct {
		what        string
		contender   experiment.Contender
		seen, blind []string // files that are part of the hash, and files that are not
	}{
		{"a binary", experiment.Contender{Run: []string{"{bin}", "main.js"}}, []string{"bin"}, []string{"main.js", "classes/A.class"}},
		{"a folder of classes", experiment.Contender{Name: "classes", Run: []string{"java", "-cp", "{bin}", "A"}}, []string{"classes/A.class", "classes/B.class"}, []string{"bin"}},
		{"a file of a folder", experiment.Contender{Run: []string{"{bin}/A.class"}}, []string{"classes/A.class"}, []string{"classes/B.class"}},
		{"in an option", experiment.Contender{Run: []string{"java", "-cp={bin}", "main.js"}}, []string{"bin"}, []string{"main.js"}},
		{"a script", experiment.Contender{Run: []string{"node", "main.js", "{depth}"}}, []string{"main.js"}, []string{"part.js", "bin"}},
		{"a script with parts", experiment.Contender{Run: []string{"node", "main.js"}, Program: []string{"main.js", "part.js"}}, []string{"main.js", "part.js"}, []string{"bin"}},
		{"a folder", experiment.Contender{Run: []string{"go", "run", "./classes"}}, []string{"classes/A.class"}, []string{"bin"}},
	} {
		before := of(root, c.contender)
		if len(before) != 16 || before != of(tree(t, files), c.contender) {
			t.Errorf("%s: hash %q, and in another folder %q", c.what, before, of(tree(t, files), c.contender))
		}
		change := func(name string) string {
			changed := map[string]string{}
			for n, text := range files {
				changed[n] = text
			}
			changed[name] += "changed"
			return of(tree(t, changed), c.contender)
		}
		for _, name := range c.seen {
			if change(name) == before {
				t.Errorf("%s: a change of %s is not seen", c.what, name)
			}
		}
		for _, name := range c.blind {
			if change(name) != before {
				t.Errorf("%s: a change of %s, which is no part of it, is seen", c.what, name)
			}
		}
		other := c.contender
		other.Run = append([]string{}, append(other.Run, "-fast")...)
		if of(root, other) == before {
			t.Errorf("%s: another argument is not seen", c.what)
		}
		other = c.contender
		other.Env = map[string]string{"GOGC": "50"}
		if of(root, other) == before {
			t.Errorf("%s: another setting is not seen", c.what)
		}
	}
}

// A program with an unknown part must not get a hash.
func TestProgramUnknown(t *testing.T) {
	root := tree(t, map[string]string{"large": "12345"})
	for _, c := range []experiment.Contender{
		{Run: []string{"{bin}"}}, // not built
		{Run: []string{"no-such-command"}},
		{Run: []string{"sh"}, Program: []string{"gone"}},
	} {
		if got := programOf(root, c, filepath.Join(root, "bin")); got != "" {
			t.Errorf("%v has hash %s", c.Run, got)
		}
	}
	budget := int64(4)
	if err := addTree(nil, root, &budget); err == nil {
		t.Error("files larger than the budget are read")
	}
}

// An archive is hashed by its entries. The time at which it was created must not change the hash.
func TestArchiveTimesAreIgnored(t *testing.T) {
	jar := func(text string, at time.Time) string {
		root := t.TempDir()
		file, err := os.Create(filepath.Join(root, "a.jar"))
		if err != nil {
			t.Fatal(err)
		}
		archive := zip.NewWriter(file)
		entry, err := archive.CreateHeader(&zip.FileHeader{Name: "A.class", Modified: at})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := entry.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := archive.Close(); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		return programOf(root, experiment.Contender{Run: []string{"java", "-jar", "a.jar"}}, "")
	}
	first := jar("1", time.Unix(1e9, 0))
	if first == "" || first != jar("1", time.Unix(1.1e9, 0)) {
		t.Error("the time of an archive is part of the program")
	}
	if first == jar("2", time.Unix(1e9, 0)) {
		t.Error("the entries of an archive are no part of the program")
	}
}

package added

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/coppice-go/coppice/internal/testkit/testsize"
	"github.com/coppice-go/coppice/workshop/internal/worktree"
)

const root = "../.."

// notFollowed maps the rows without a script to the reason.
var notFollowed = map[string]string{
	"a program of a write-up, as published":        "the write-ups do not change",
	"a program in another language":                "it takes the compilers of eleven languages",
	"an integer type of flat trees, up to 32 bits": "all that C++ and Go both have are there",
	"a case of the flat compiler":                  "the cases generate code, for minutes",
	"a column of the lab's tables":                 "its forms are those of a metric, which has one, and of two files of code",
	"the chunk length of `slab.Chunks`":            "the tests of internal/chunkrule follow it",
	"a trap for fix":                               "the traps are themselves such scripts",
	"a mutant that tests must notice":              "workshop/mutants has tests of its own",
}

// A row is a row of the table in docs/ARCHITECTURE.md. Its fields are the cells.
type row struct{ what, where, lists, fails string }

// table reads the rows of the table from docs/ARCHITECTURE.md.
func table(t *testing.T) (rows []row) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs/ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## To add something\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.ReplaceAll(strings.TrimSpace(line), `\|`, "\x00"), " | ")
		if len(cells) != 4 || strings.HasPrefix(line, "| ---") || strings.HasPrefix(line, "| what |") {
			continue
		}
		for i, c := range cells {
			cells[i] = strings.ReplaceAll(strings.Trim(c, "| "), "\x00", "|")
		}
		rows = append(rows, row{cells[0], cells[1], cells[2], cells[3]})
	}
	if len(rows) < 10 {
		t.Fatalf("the table has %d rows; is it written in another way now?", len(rows))
	}
	return rows
}

// scripted matches the line in which a script names its row.
var scripted = regexp.MustCompile(`(?m)^row '(.*)'$`)

// TestEachRowHasAScript verifies that each row has a script, or a reason for having none.
func TestEachRowHasAScript(t *testing.T) {
	scripts, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	followed := map[string]bool{}
	for _, name := range scripts {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if m := scripted.FindSubmatch(text); m == nil {
			t.Errorf("%s does not say which row it follows", name)
		} else {
			followed[string(m[1])] = true
		}
	}
	for _, r := range table(t) {
		if why := notFollowed[r.what]; followed[r.what] == (why != "") {
			t.Errorf("the row %q: a script follows it: %v; why none does: %q", r.what, followed[r.what], why)
		}
	}
}

// TestRows runs a script for each row of the table. The script makes the change that the row
// describes, with additional commands, and checks that the tests named in the row fail until the
// change is complete.
func TestRows(t *testing.T) {
	testsize.OnlyInFull(t, "changes copies of the repository, and compiles its tests there")
	rows, copied := table(t), t.TempDir()
	if err := worktree.Copy(t.Context(), root, copied); err != nil {
		t.Skip(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:  "testdata",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"row": inTable(rows), "add": add, "line": line, "replace": replace, "fails": fails, "passes": passes, "touched": touched},
		// The lines after `[!all] stop` run tests that the row does not name, to verify that it
		// names all that fail.
		Condition: func(name string) (bool, error) {
			if name != "all" {
				return false, fmt.Errorf("no condition %q", name)
			}
			return os.Getenv(testsize.Variable) != "part", nil
		},
		Setup: func(env *testscript.Env) error {
			for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOSUMDB", "GOTOOLCHAIN"} {
				value, err := exec.Command("go", "env", name).Output()
				if err != nil {
					return fmt.Errorf("go env %s: %w", name, err)
				}
				env.Setenv(name, strings.TrimSpace(string(value)))
			}
			// Compiled packages do not contain the path of the copy, so that the build cache can
			// share them between runs.
			env.Setenv("GOFLAGS", "-trimpath")
			env.Values[changeKey{}] = &change{files: map[string]bool{}}
			env.Cd = filepath.Join(env.WorkDir, "tree")
			return worktree.Link(copied, env.Cd)
		},
	})
}

// A change records what a script has changed in its copy of the repository.
type change struct {
	row   row
	files map[string]bool
}

type changeKey struct{}

func changeOf(ts *testscript.TestScript) *change { return ts.Value(changeKey{}).(*change) }

// write writes a file in the copy and records its name.
func (c *change) write(ts *testscript.TestScript, name, text string) {
	ts.Check(worktree.Write(ts.MkAbs(name), []byte(text)))
	c.files[name] = true
}

// inTable returns the command `row WHAT`, which names the row of the table that the script follows.
func inTable(rows []row) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, _ bool, args []string) {
		i := slices.IndexFunc(rows, func(r row) bool { return r.what == args[0] })
		if i < 0 {
			ts.Fatalf("the table has no row %q", args[0])
		}
		changeOf(ts).row = rows[i]
	}
}

// add implements the command `add FOLDER`, which adds the files in a folder of the script to the
// copy. It overwrites existing files.
func add(ts *testscript.TestScript, _ bool, args []string) {
	from := filepath.Join(ts.Getenv("WORK"), args[0])
	ts.Check(filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err == nil {
			changeOf(ts).write(ts, filepath.ToSlash(name), ts.ReadFile(path))
		}
		return err
	}))
}

// line implements the command `line FILE PLACE LINE...`, which adds lines to a file of the copy,
// after the only line that contains PLACE or, if PLACE is preceded by `before`, before it. The new
// lines get the same indentation.
func line(ts *testscript.TestScript, _ bool, args []string) {
	name, before := args[0], args[1] == "before"
	args = args[1:]
	if before {
		args = args[1:]
	}
	lines := strings.SplitAfter(ts.ReadFile(name), "\n")
	at := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, args[0]) })
	if at < 0 || slices.ContainsFunc(lines[at+1:], func(l string) bool { return strings.Contains(l, args[0]) }) {
		ts.Fatalf("%s must have one line with %q, the place for a new one", name, args[0])
	}
	indent := lines[at][:len(lines[at])-len(strings.TrimLeft(lines[at], " \t"))]
	if !before {
		at++
	}
	for i, l := range args[1:] {
		lines = slices.Insert(lines, at+i, indent+l+"\n")
	}
	changeOf(ts).write(ts, name, strings.Join(lines, ""))
}

// replace implements the command `replace FILE OLD NEW`. OLD must occur exactly once in the file.
func replace(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[0])
	if n := strings.Count(text, args[1]); n != 1 {
		ts.Fatalf("%s has %q %d times, and the script replaces it once", args[0], args[1], n)
	}
	changeOf(ts).write(ts, args[0], strings.Replace(text, args[1], args[2], 1))
}

// named checks that the row names what the script runs: a command, or go test of a package.
func named(ts *testscript.TestScript, what string) {
	r := changeOf(ts).row
	for _, m := range regexp.MustCompile("`[^`]+`").FindAllString(r.fails, -1) {
		for word := range strings.FieldsSeq(strings.Trim(m, "`")) {
			if below, all := strings.CutSuffix(word, "/..."); word == what || all && (what == below || strings.HasPrefix(what, below+"/")) {
				return
			}
		}
		if m == "`"+what+"`" {
			return
		}
	}
	ts.Fatalf("the row %q does not say that %s fails: %s", r.what, what, r.fails)
}

// try runs tests and returns their output. The arguments are a package and flags, or a one-word
// command of the row.
func try(ts *testscript.TestScript, args []string) (out string, err error) {
	named(ts, args[0])
	command := strings.Fields(args[0])
	if strings.HasPrefix(args[0], "./") {
		command = append([]string{"go", "test", "-vet=off", "-count=1"}, args...)
	}
	err = ts.Exec(command[0], command[1:]...)
	return ts.ReadFile("stdout") + ts.ReadFile("stderr"), err
}

// fails implements the command `fails TESTS saying PATTERN...`. It runs tests that the row names,
// which must fail with output that matches each pattern.
func fails(ts *testscript.TestScript, _ bool, args []string) {
	saying := slices.Index(args, "saying")
	if saying < 0 {
		ts.Fatalf("usage: fails TESTS saying PATTERN...")
	}
	out, err := try(ts, args[:saying])
	if err == nil {
		ts.Fatalf("%v passes, and the change is not complete", args[:saying])
	}
	for _, pattern := range args[saying+1:] {
		if !regexp.MustCompile(pattern).MatchString(out) {
			ts.Fatalf("%v does not fail as it must: nothing that it prints matches %q", args[:saying], pattern)
		}
	}
}

// passes implements the command `passes TESTS`. It runs tests that the row names, which must pass.
func passes(ts *testscript.TestScript, _ bool, args []string) {
	if _, err := try(ts, args); err != nil {
		ts.Fatalf("%v: %v; the change is complete, or the row does not say what else it takes", args, err)
	}
}

// touched implements the command `touched N`, which checks that the change affects N files.
func touched(ts *testscript.TestScript, _ bool, args []string) {
	if files := changeOf(ts).files; strconv.Itoa(len(files)) != args[0] {
		ts.Fatalf("the change is in %d files, and not in %s: %v", len(files), args[0], files)
	}
}

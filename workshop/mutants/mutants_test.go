package main

import (
	"os/exec"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

// little contains a checkout with one package, whose test checks one of two promises.
const little = `
-- go.mod --
module example.org/little

go 1.26
-- sum/sum.go --
// Package sum adds.
package sum

// Of is the sum of all, and 0 of none.
func Of(all []int) (sum int) {
	for _, v := range all {
		sum += v
	}
	return sum
}

// Greatest is the greatest, and 0 of none.
func Greatest(all []int) (greatest int) {
	for _, v := range all {
		greatest = max(greatest, v)
	}
	return greatest
}
-- sum/sum_test.go --
package sum

import "testing"

func TestOf(t *testing.T) {
	t.Run("some", func(t *testing.T) {
		if Of([]int{1, 2}) != 3 {
			t.Error("wrong")
		}
	})
}
`

// caught contains two mutants that the test detects. In corpus files, section headers begin with a
// bar, so that txtar does not take them for files.
const caught = `
-- workshop/bugs/sum/first-only.txt --
sum.Of: "the sum of all".

tests: ./sum
|-- sum/sum.go --
		sum += v
|-- becomes --
		sum = v
-- workshop/bugs/sum/panics.txt --
sum.Of: it panics.

tests: ./sum
|-- sum/sum.go --
		sum += v
|-- becomes --
		sum += all[v]
`

const survives = `
-- workshop/bugs/sum/least.txt --
sum.Greatest: "the greatest".

tests: ./sum
|-- sum/sum.go --
		greatest = max(greatest, v)
|-- becomes --
		greatest = min(greatest, v)
`

// plantIn runs the command in a new Git repository that contains little and the given files.
func plantIn(t *testing.T, files string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	root := t.TempDir()
	put(t, root, little+files)
	if out, err := exec.Command("git", "init", "-q", root).CombinedOutput(); err != nil {
		t.Skipf("git init: %v: %s", err, out)
	}
	inGit(t, root, "add", ".")
	inGit(t, root, "commit", "-q", "-m", "begin")
	var out, errs strings.Builder
	code = run(t.Context(), append([]string{"-root", root}, args...), &out, &errs)
	return code, out.String(), errs.String()
}

// sometimes is a test that creates a folder to find out whether it already ran in its copy of the
// tree. The go command does not know that the test depends on the folder, so it would use a cached
// result if it were allowed to.
const sometimes = `
-- sum/sometimes_test.go --
package sum

import (
	"os"
	"testing"
	"time"
)

func again() bool { return os.Mkdir("again", 0o777) != nil }

func TestSometimes(t *testing.T) {
	SOMETIMES
}

var _ = time.Hour
`

func TestHunt(t *testing.T) {
	testsize.OnlyInFull(t, "builds and tests a module several times")
	at := func(code string) string { return strings.Replace(sometimes, "SOMETIMES", code, 1) }
	const wrong = "if Greatest([]int{1, 2}) != 2 { t.Error(\"wrong\") }"
	const full = "if os.Getenv(\"COPPICE_FULL\") == \"\" { t.Skip() }; " + wrong
	for _, c := range []struct {
		name, files string
		args        string
		code        int
		want        []string
	}{
		{"all caught", caught, "", 0, []string{"caught    sum/first-only", "TestOf/some", "caught    sum/panics", "2 of 2 mutants tried", "2 caught, 0 flaky, 0 survived, 0 broken"}},
		{"one survives", caught + survives, "", 1, []string{"SURVIVED  sum/least", `    sum.Greatest: "the greatest".`, "2 caught, 0 flaky, 1 survived"}},
		{"one survives in each size", survives, "-usual", 1, []string{"SURVIVED  sum/least", "0 caught, 0 flaky, 1 survived"}},
		{"not in step", strings.Replace(survives, "		greatest = max(", "		greatest = most(", 1), "", 1, []string{
			"broken    sum/least", "contains the lines to replace 0 times, want once"}},
		{"does not compile", strings.Replace(survives, "min(greatest, v)", "min(greatest, v+w)", 1), "", 1, []string{
			"broken    sum/least", "it does not compile, so no test can notice it: sum/sum.go:15:30: undefined: w"}},
		{"hangs", strings.Replace(caught, "sum = v", "sum = v\n		for {\n		}", 1), "-timeout 5s", 1, []string{"broken    sum/first-only", "the tests took longer than 5s"}},
		{"noticed at the second try", survives + at("if Greatest([]int{1, 2}) != 2 && again() { t.Error(1) }"), "", 0, []string{
			"flaky     sum/least", "notice a mutant only sometimes", "\n    TestSometimes of example.org/little/sum: sum/least\n", "0 caught, 1 flaky, 0 survived, 0 broken"}},
		{"noticed in full", survives + at(full), "", 0, []string{"caught    sum/least", "1 caught, 0 flaky, 0 survived"}},
		{"noticed in full only", survives + at(full), "-usual", 0, []string{
			"caught    sum/least", "TestSometimes (full size only)\n", `add the line "size: full"`, "\n    sum/least: TestSometimes\n", "1 caught, 0 flaky, 0 survived"}},
		{"of usual size, noticed in full only", strings.Replace(survives, "tests:", "size: usual\ntests:", 1) + at(full), "", 1, []string{
			"SURVIVED  sum/least", "0 caught, 0 flaky, 1 survived"}},
		{"fails once with no mutant", caught + at("if !again() { t.Error(1) }"), "", 0, []string{
			"failed once without a mutant", "\n    TestSometimes of example.org/little/sum\n", "2 caught, 0 flaky"}},
		{"hangs once with no mutant", caught + at("if !again() { time.Sleep(time.Hour) }"), "-timeout 5s", 0, []string{
			"failed once without a mutant", "\n    TestSometimes of example.org/little/sum\n", "2 caught, 0 flaky"}},
		{"nothing touched", caught, "-changed HEAD", 0, []string{"0 of 0 mutants tried"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, stdout, stderr := plantIn(t, c.files, append(strings.Fields(c.args), "-jobs", "1")...)
			if code != c.code {
				t.Errorf("exit code %d, want %d; %s", code, c.code, stderr)
			}
			for _, want := range c.want {
				if !strings.Contains(stdout, want) {
					t.Errorf("printed\n%swant %q", stdout, want)
				}
			}
		})
	}
}

// Mutants cannot be tried in a tree whose tests fail, hang or do not compile.
func TestHuntInABrokenTree(t *testing.T) {
	testsize.OnlyInFull(t, "builds and tests a module")
	for test, want := range map[string]string{
		`t.Error("broken")`: "the tests fail even without a mutant, twice (TestBroken of example.org/little/sum); make them pass first",
		"for {\n}":          "the tests took longer than 5s even without a mutant, twice, in TestBroken of example.org/little/sum",
		"t.Error(unknown)":  "the tests do not compile even without a mutant: sum/broken_test.go:5:41: undefined: unknown",
	} {
		code, _, stderr := plantIn(t, caught+`
-- sum/broken_test.go --
package sum

import "testing"

func TestBroken(t *testing.T) { `+test+` }
`, "-timeout", "5s")
		if code != 1 || !strings.Contains(stderr, want) {
			t.Errorf("exit code %d, %s; want %q", code, stderr, want)
		}
	}
}

func TestList(t *testing.T) {
	code, stdout, _ := plantIn(t, caught+survives, "-list", "-run", "first|least")
	if want := "sum/first-only\n    sum.Of: \"the sum of all\".\nsum/least\n    sum.Greatest: \"the greatest\".\n"; code != 0 || stdout != want {
		t.Errorf("exit code %d, printed\n%swant\n%s", code, stdout, want)
	}
}

func TestBadInput(t *testing.T) {
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"-run [", 2, "-run: error parsing regexp"},
		{"-jobs 0", 2, "-jobs, -most and -timeout must be positive"},
		{"-sample -1", 2, "invalid -sample -1: must be at least 0"},
		{"-sample x", 2, "invalid value"},
		{"-sample 1000000", 1, "a sample of one mutant in 1000000 has none; take a smaller number"},
		{"-changed nowhere", 1, `-changed: git has no commit "nowhere"; fetch it, or name another`},
		{"-changed --all", 1, `-changed: git has no commit "--all"`},
		{"all", 2, `unexpected argument "all"`},
		{"-run nothing", 1, `no mutant matches "nothing"; -list prints their names`},
	} {
		code, stdout, stderr := plantIn(t, caught, strings.Fields(c.args)...)
		if code != c.code || stdout != "" || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d, output %q, errors %q", c.args, code, stdout, stderr)
		}
	}
}

func TestBadFilesOfTheCorpus(t *testing.T) {
	const good = "A promise.\n\ntests: ./x\n-- x/x.go --\na\n-- becomes --\nb\n"
	if b, err := parse("x/y", []byte(good)); err != nil || b.Promise != "A promise." || len(b.Edits) != 1 || b.Edits[0] != (Edit{"x/x.go", "a\n", "b\n"}) {
		t.Errorf("%+v, %v", b, err)
	}
	for want, text := range map[string]string{
		"needs the promise":    strings.Replace(good, "A promise.", "", 1),
		`a line "tests: "`:     strings.Replace(good, "tests: ./x", "", 1),
		`invalid build "fast"`: strings.Replace(good, "tests:", "build: fast\ntests:", 1),
		`invalid size "small"`: strings.Replace(good, "tests:", "size: small\ntests:", 1),
		"each edit is two":     "A promise.\ntests: ./x\n-- x/x.go --\na\n",
		"want \"becomes\"":     strings.Replace(good, "-- becomes", "-- is", 1),
	} {
		if _, err := parse("x/y", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// An edit replaces whole, consecutive lines that occur exactly once.
func TestApply(t *testing.T) {
	tree := fstest.MapFS{"x.go": {Data: []byte("a\nab\nb\nb\nc\n")}}
	for _, c := range []struct {
		edits []Edit
		want  string // the file, or the error
	}{
		{[]Edit{{"x.go", "a\n", "A\n"}}, "A\nab\nb\nb\nc\n"},
		{[]Edit{{"x.go", "b\nc\n", ""}}, "a\nab\nb\n"},
		{[]Edit{{"x.go", "a\n", "A\n"}, {"x.go", "A\nab\n", "B\n"}}, "B\nb\nb\nc\n"},
		{[]Edit{{"x.go", "b\n", "B\n"}}, "2 times"},
		{[]Edit{{"x.go", "d\n", "B\n"}}, "0 times"},
		{[]Edit{{"x.go", "", "B\n"}}, "want once"},
		{[]Edit{{"y.go", "a\n", "B\n"}}, "does not exist"},
	} {
		changed, err := Mutant{Edits: c.edits}.Apply(tree)
		switch {
		case err != nil && !strings.Contains(err.Error(), c.want):
			t.Errorf("%+v: %v, want %q", c.edits, err, c.want)
		case err == nil && string(changed["x.go"]) != c.want:
			t.Errorf("%+v made %q, want %q", c.edits, changed["x.go"], c.want)
		}
	}
}

// judge names the test that failed, or the test that was running when the program ended.
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		events string
		want   verdict
	}{
		{`{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p"}
`, verdict{}},
		{`{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"run","Package":"p","Test":"TestA/x"}
{"Action":"run","Package":"p","Test":"TestA/y"}
{"Action":"fail","Package":"p","Test":"TestA/x"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"fail","Package":"p"}
`, verdict{failed: "TestA/x", of: "p"}},
		{`{"Action":"run","Package":"p","Test":"TestA"}
what the program prints by itself
{"Action":"run","Package":"p","Test":"TestB"}
{"Action":"run","Package":"q","Test":"TestC"}
{"Action":"fail","Package":"p"}
`, verdict{failed: "TestB", of: "p"}},
		{`{"Action":"fail","Package":"p"}
`, verdict{failed: "p", of: "p"}},
		{`{"Action":"build-output","Output":"# p\n"}
{"Action":"build-output","Output":"x.go:1:2: bad\n"}
{"Action":"fail","Package":"p"}
`, verdict{failed: "p", of: "p", unbuilt: "x.go:1:2: bad"}},
		{`{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"panic: test timed out after 1s\n"}
{"Action":"fail","Package":"p","Test":"TestA"}
`, verdict{failed: "TestA", of: "p", hung: true}},
	} {
		if got := judge([]byte(c.events)); got != c.want {
			t.Errorf("%s\nis judged %+v, want %+v", c.events, got, c.want)
		}
	}
}

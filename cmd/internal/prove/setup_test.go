package prove

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// interrupting is a Progress that cancels the proof when its first round begins.
type interrupting struct{ cancel context.CancelFunc }

func (i interrupting) Stage(string)                {}
func (i interrupting) Round(int, int, int, string) { i.cancel() }

// The cleanup commands must run even if the proof was interrupted, and even if an earlier cleanup
// command failed.
func TestCleanUpAfterAnInterruption(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh")
	}
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := Commands(ctx, Options{
		Dir: dir, Commands: [][]string{{"sh", "-c", "true"}, {"sh", "-c", ":"}}, Rounds: 6, MinEffect: 0.05, Goal: "cpu",
		Around: Around{Cleanup: []string{"exit 3", "echo done >cleaned"}}, Show: interrupting{cancel},
	})
	if err == nil || ctx.Err() == nil { // a process that was killed may return another error
		t.Errorf("%v, and the context %v", err, ctx.Err())
	}
	if _, err := os.Stat(filepath.Join(dir, "cleaned")); err != nil {
		t.Error(err)
	}
}

func TestLinesAroundCommands(t *testing.T) {
	for want, lines := range map[string][]string{",": nil, "a,a": {"a"}, "a,b": {"a", "b"}} {
		if got := lineOf(lines, 0) + "," + lineOf(lines, 1); got != want {
			t.Errorf("%q: %s, want %s", lines, got, want)
		}
		if err := (Around{Prepare: lines}).Check(2); err != nil {
			t.Errorf("%q: %v", lines, err)
		}
	}
	if err := (Around{Cleanup: []string{"a", "b"}}).Check(3); err == nil || !strings.Contains(err.Error(), "-cleanup given 2 times") {
		t.Errorf("%v", err)
	}
}

// Each combination of parameter values is a separate variant, in the order of the parameters.
func TestVariants(t *testing.T) {
	o := &Options{Params: []Param{{"n", []string{"1", "2"}}, {"m", []string{"{n}", "b"}}}, Stdin: "{m}"}
	var got []string
	for _, v := range o.variants() {
		got = append(got, v.name+": "+strings.Join(v.args([]string{"x{n}", "{m}{n}", "{o}"}), " "))
	}
	want := "the command, n=1, m={n}: x1 {n}1 {o}; the command, n=1, m=b: x1 b1 {o}; the command, n=2, m={n}: x2 {n}2 {o}; the command, n=2, m=b: x2 b2 {o}"
	if all := strings.Join(got, "; "); all != want {
		t.Errorf("%s", all)
	}
	if got := strings.Join(o.Stdins(), " "); got != "{n} b" {
		t.Errorf("-stdin %s", got)
	}
	if name, unused := o.Unused(); !unused || name != "n" {
		t.Errorf("%s, %v", name, unused)
	}
	if one := (&Options{}).variants(); len(one) != 1 || one[0].name != commandSubject {
		t.Errorf("%+v", one)
	}
}

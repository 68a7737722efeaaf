//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
	"github.com/coppice-go/coppice/internal/testkit/child"
	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

// slow is a module whose test and whose benchmark say when they have started, and then take an
// hour: where SLOW says it. The package itself has a place that coppice fix knows how to change.
const slow = `
-- go.mod --
module example.org/slow

go 1.24
-- slow.go --
package slow

type Node struct {
	Op          byte
	Left, Right *Node
}

type parser struct {
	text string
	at   int
}

func Parse(text string) *Node {
	p := &parser{text: text}
	n := p.number()
	for p.at < len(p.text) {
		p.at++
		n = &Node{Op: '+', Left: n, Right: p.number()}
	}
	return n
}

func (p *parser) number() *Node {
	p.at++
	return &Node{Op: p.text[p.at-1]}
}
-- slow_test.go --
package slow

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

var text = strings.Repeat("1+", 5000) + "1"

func wait(where string) {
	if os.Getenv("SLOW") == where {
		_ = os.WriteFile("written", nil, 0o666)
		_ = os.WriteFile(os.Getenv("TMPDIR")+"/temporary", nil, 0o666)
		_ = os.WriteFile(os.Getenv("STARTED"), []byte(strconv.Itoa(os.Getpid())), 0o666)
		time.Sleep(time.Hour)
	}
}

func TestSlow(t *testing.T) {
	wait("test")
	if n := Parse("1+2"); n.Left.Op != '1' {
		t.Error(n)
	}
	for range 100 {
		Parse(text)
	}
}

func BenchmarkSlow(b *testing.B) {
	for b.Loop() {
		Parse(text)
	}
	keep := os.Getenv("COPPICE_METER_KEEP") != ""
	if keep {
		wait("results")
	}
	for _, a := range os.Args {
		if strings.HasPrefix(a, "-test.benchtime=") && strings.HasSuffix(a, "x") && a != "-test.benchtime=1x" && !keep {
			wait("round")
		}
	}
}
`

// slowCompiler does as the tools of the go command do, but that it takes an hour to compile the
// module.
const slowCompiler = `#!/bin/sh
case "$TOOLEXEC_IMPORTPATH $*" in
*-V=full*) ;;
"example.org/slow "*/compile*)
	printf %s $$ >"$STARTED.new"
	mv "$STARTED.new" "$STARTED"
	exec sleep 3600
	;;
esac
exec "$@"
`

// aCommand is coppice in a repository of its own.
type aCommand struct {
	*testing.T
	dir, cache, temp, started string
	homeless                  bool
	stderr                    strings.Builder
}

func newCommand(t *testing.T) *aCommand {
	dir := t.TempDir()
	p := &aCommand{T: t, dir: filepath.Join(dir, "repository"), cache: filepath.Join(dir, "cache"), temp: filepath.Join(dir, "temp"), started: filepath.Join(dir, "started")}
	for _, folder := range []string{p.dir, p.cache, p.temp} {
		if err := os.Mkdir(folder, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range txtar.Parse([]byte(slow)).Files {
		if err := os.WriteFile(filepath.Join(p.dir, f.Name), f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p.git("init", "-q")
	p.git("add", "-A")
	p.git("-c", "user.name=somebody", "-c", "user.email=somebody@example.org", "commit", "-q", "-m", "base")
	text, err := os.ReadFile(filepath.Join(p.dir, "slow.go"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.dir, "slow.go"), append(text, "\nvar changed = 1\n"...), 0o666); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *aCommand) git(args ...string) string {
	p.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = p.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// command returns the program, not yet started. slow says which part of it takes an hour.
func (p *aCommand) command(slow string, args ...string) *exec.Cmd {
	p.Helper()
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		p.Fatal(err)
	}
	cmd, err := child.Command()
	if err != nil {
		p.Fatal(err)
	}
	cmd.Args = append([]string{"coppice"}, args...) // TestMain knows it by this name
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "GOCACHE="+strings.TrimSpace(string(cache)), "XDG_CACHE_HOME="+p.cache, "TMPDIR="+p.temp, "SLOW="+slow, "STARTED="+p.started, samplesTest+"=100")
	if p.homeless {
		out, err := exec.Command("go", "env", "GOPATH").Output()
		if err != nil {
			p.Fatal(err)
		}
		cmd.Env = append(cmd.Env, "HOME=", "XDG_CACHE_HOME=", "GOPATH="+strings.TrimSpace(string(out)))
	}
	if slow == "build" {
		compiler := filepath.Join(filepath.Dir(p.dir), "compiler")
		if err := os.WriteFile(compiler, []byte(slowCompiler), 0o777); err != nil {
			p.Fatal(err)
		}
		cmd.Env = append(cmd.Env, "GOFLAGS=-toolexec="+compiler)
	}
	p.stderr.Reset()
	cmd.Stderr = &p.stderr
	p.Cleanup(func() {
		if cmd.Process != nil {
			_ = cmd.Process.Kill() // an error says that it has ended, as it should have
		}
	})
	return cmd
}

// startedBy waits until the slow part has started, and returns its process.
func (p *aCommand) startedBy() int {
	p.Helper()
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if text, err := os.ReadFile(p.started); err == nil && len(text) > 0 {
			pid, err := strconv.Atoi(string(text))
			if err != nil {
				p.Fatal(err)
			}
			return pid
		}
	}
	p.Fatalf("it does not start: %s", p.stderr.String())
	return 0
}

// gone checks that a process ends.
func (p *aCommand) gone(pid int) {
	p.Helper()
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return
		}
		// Another test may have made this process the reaper of orphans, and no code waits for this
		// one.
		if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil && strings.Contains(string(stat), ") Z ") {
			return
		}
	}
	p.Errorf("process %d still runs", pid)
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

// left lists what is in the folders for temporary files, of the command and of the go command.
func (p *aCommand) left() (names []string) {
	for _, pattern := range []string{filepath.Join(p.cache, "coppice", "work", "*"), filepath.Join(p.temp, "*")} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			p.Fatal(err)
		}
		names = append(names, found...)
	}
	return names
}

func (p *aCommand) unchanged() {
	p.Helper()
	if status := p.git("status", "--porcelain", "--ignored"); status != " M slow.go\n" {
		p.Errorf("git status says\n%s", status)
	}
	if all := p.git("worktree", "list"); strings.Count(all, "\n") != 1 {
		p.Errorf("git worktree list says\n%s", all)
	}
}

// interrupted starts the command, waits until its slow part has started, and ends it.
func (p *aCommand) interrupted(end os.Signal, slow string, args ...string) (exitCode int) {
	p.Helper()
	if err := os.RemoveAll(p.started); err != nil {
		p.Fatal(err)
	}
	cmd := p.command(slow, args...)
	if err := cmd.Start(); err != nil {
		p.Fatal(err)
	}
	pid := p.startedBy()
	if err := cmd.Process.Signal(end); err != nil {
		p.Fatal(err)
	}
	_ = cmd.Wait()
	p.gone(pid)
	return cmd.ProcessState.ExitCode()
}

// A phase is where a command can be interrupted: slow says which part takes an hour.
type phase struct {
	slow string
	args string
	full bool // whether it is tried only in full
}

var phases = []phase{
	{"build", "find -quick", false},
	{"round", "find -quick", false},
	{"test", "find -quick -test Slow", true},
	{"build", "prove -base HEAD", false},
	{"test", "prove -base HEAD", false},
	{"results", "prove -base HEAD -equal results", true},
	{"round", "prove -base HEAD -equal none", false},
	{"round", "fix", false},
	{"test", "fix -from ../find.json", true},
	{"results", "fix -from ../find.json -equal results", true},
	{"round", "fix -from ../find.json -equal results", true},
}

// inPhases runs a test in each phase.
func inPhases(t *testing.T, test func(p *aCommand, slow string, args ...string)) {
	child.SkipEmulated(t, "it builds with the machine's own Go")
	for _, at := range phases {
		t.Run(at.args+" "+at.slow, func(t *testing.T) {
			if at.full {
				testsize.OnlyInFull(t, "there are other phases")
			}
			p := newCommand(t)
			if strings.Contains(at.args, "find.json") {
				p.find()
			}
			test(p, at.slow, strings.Fields(at.args)...)
		})
	}
}

// find writes what coppice find says to a file beside the repository.
func (p *aCommand) find() {
	p.Helper()
	out, err := p.command("nothing", "find", "-quick", "-json").Output()
	if err != nil || !strings.Contains(string(out), `"remedy": "slab"`) {
		p.Fatalf("%v\n%s%s", err, out, p.stderr.String())
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(p.dir), "find.json"), out, 0o666); err != nil {
		p.Fatal(err)
	}
}

// next runs a command that ends soon: there is no such revision.
func (p *aCommand) next() {
	p.Helper()
	if err := p.command("nothing", "prove", "-base", "none").Run(); err == nil || !strings.Contains(p.stderr.String(), "invalid -base none") {
		p.Errorf("%v: %s", err, p.stderr.String())
	}
}

// An interrupted command ends at once with all that it has started, and leaves nothing behind.
func TestInterruptCleansUp(t *testing.T) {
	inPhases(t, func(p *aCommand, slow string, args ...string) {
		code := p.interrupted(os.Interrupt, slow, args...)
		// What fix has tried until then is its result, in a folder that was asked for.
		if folder := filepath.Join(p.dir, "coppice-fix"); len(args) > 1 && args[0] == "fix" {
			if err := os.RemoveAll(folder); err != nil {
				p.Error(err)
			}
		}
		if code != cli.ExitUsage {
			p.Errorf("exit code %d", code)
		}
		if said := p.stderr.String(); !strings.Contains(said, "coppice: interrupted; ") || strings.Count(said, "\n") != strings.Count(said, "coppice: ") {
			p.Errorf("it says\n%s", said)
		}
		if left := p.left(); len(left) > 0 {
			p.Errorf("%v is left", left)
		}
		p.unchanged()
	})
}

// A killed command ends with all that it has started, and what it leaves behind goes with the next
// one.
func TestCleanUpAfterKill(t *testing.T) {
	inPhases(t, func(p *aCommand, slow string, args ...string) {
		p.interrupted(os.Kill, slow, args...)
		if len(p.left()) == 0 {
			p.Error("there was nothing to clear away")
		}
		p.next()
		if left := p.left(); len(left) > 0 {
			p.Errorf("%v is left", left)
		}
		p.unchanged()
	})
}

// Without a home there is no folder for caches, and nothing stays in that for temporary files: not
// of a command that ends, not of one that is interrupted, and of one that is killed not after the
// next.
func TestWithoutHome(t *testing.T) {
	child.SkipEmulated(t, "it builds with the machine's own Go")
	p := newCommand(t)
	p.find()
	p.homeless = true
	for _, args := range []string{"find -quick", "prove -base HEAD -rounds 6", "prove -base HEAD -bench Nothing", "prove -base none", "fix -from ../find.json -rounds 6 -equal results"} {
		cmd := p.command("nothing", strings.Fields(args)...)
		if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != cli.ExitUsage {
			p.Errorf("%s: %v\n%s", args, err, p.stderr.String())
		}
		if left := p.left(); len(left) > 0 {
			p.Errorf("%s: %v is left", args, left)
		}
	}
	if err := os.RemoveAll(filepath.Join(p.dir, "coppice-fix")); err != nil {
		t.Error(err)
	}
	for _, end := range []os.Signal{os.Interrupt, os.Kill} {
		p.interrupted(end, "round", "find", "-quick")
		if left := p.left(); len(left) > 0 != (end == os.Kill) {
			p.Errorf("%v: %v is left", end, left)
		}
	}
	p.next()
	if left := p.left(); len(left) > 0 {
		p.Errorf("%v is left", left)
	}
}

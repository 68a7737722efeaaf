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

// slow is a module whose test and benchmark report that they have started and then sleep for an
// hour, at the point selected by the environment variable SLOW. The package also contains code that
// coppice fix knows how to change.
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

// slowCompiler is a program for the -toolexec flag of the go command. It runs the given tool,
// except that compiling the module takes an hour.
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

// aCommand runs coppice in a repository of its own.
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

// command returns a command that runs coppice. It has not been started. slow selects the phase that
// takes an hour.
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
	cmd.Args = append([]string{"coppice"}, args...) // TestMain runs coppice if it finds this name
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
			_ = cmd.Process.Kill() // fails if the process has ended, as it should have
		}
	})
	return cmd
}

// startedBy waits until the slow phase has started, and returns the ID of the process that runs it.
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

// checkEnded verifies that the process with this ID ends.
func (p *aCommand) checkEnded(pid int) {
	p.Helper()
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return
		}
		// Another test may have made the test process the reaper of orphans. Then an ended process
		// remains a zombie, because no code waits for it.
		if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil && strings.Contains(string(stat), ") Z ") {
			return
		}
	}
	p.Errorf("process %d still runs", pid)
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

// leftovers returns the files that remain in the work folder of coppice and in the folder for
// temporary files.
func (p *aCommand) leftovers() (names []string) {
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

// interrupted starts coppice, waits until its slow phase has started, and sends it the signal end.
// It verifies that the process of the slow phase ends, too.
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
	p.checkEnded(pid)
	return cmd.ProcessState.ExitCode()
}

// A phase is a command with a point at which the tests interrupt it. slow selects that point, at
// which the command would take an hour.
type phase struct {
	slow string
	args string
	full bool // whether only full test runs include the phase
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

// inPhases runs test as a subtest for each phase.
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

// find writes the output of coppice find -json to the file find.json beside the repository.
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

// next runs a command that ends soon, because its base revision does not exist.
func (p *aCommand) next() {
	p.Helper()
	if err := p.command("nothing", "prove", "-base", "none").Run(); err == nil || !strings.Contains(p.stderr.String(), "invalid -base none") {
		p.Errorf("%v: %s", err, p.stderr.String())
	}
}

// An interrupted command ends immediately, together with all processes that it has started, and
// leaves no temporary files.
func TestInterruptCleansUp(t *testing.T) {
	inPhases(t, func(p *aCommand, slow string, args ...string) {
		code := p.interrupted(os.Interrupt, slow, args...)
		// The results that fix has so far are not temporary files. It keeps them in a folder of the
		// repository.
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
		if left := p.leftovers(); len(left) > 0 {
			p.Errorf("%v is left", left)
		}
		p.unchanged()
	})
}

// When a command is killed, the processes that it has started end, too. The next command removes
// its temporary files.
func TestCleanUpAfterKill(t *testing.T) {
	inPhases(t, func(p *aCommand, slow string, args ...string) {
		p.interrupted(os.Kill, slow, args...)
		if len(p.leftovers()) == 0 {
			p.Error("there was nothing to clear away")
		}
		p.next()
		if left := p.leftovers(); len(left) > 0 {
			p.Errorf("%v is left", left)
		}
		p.unchanged()
	})
}

// Without a home folder, coppice has no cache folder and uses the folder for temporary files. A
// command that ends or is interrupted leaves no files there. The files of a killed command are
// removed by the next one.
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
		if left := p.leftovers(); len(left) > 0 {
			p.Errorf("%s: %v is left", args, left)
		}
	}
	if err := os.RemoveAll(filepath.Join(p.dir, "coppice-fix")); err != nil {
		t.Error(err)
	}
	for _, end := range []os.Signal{os.Interrupt, os.Kill} {
		p.interrupted(end, "round", "find", "-quick")
		if left := p.leftovers(); len(left) > 0 != (end == os.Kill) {
			p.Errorf("%v: %v is left", end, left)
		}
	}
	p.next()
	if left := p.leftovers(); len(left) > 0 {
		p.Errorf("%v is left", left)
	}
}

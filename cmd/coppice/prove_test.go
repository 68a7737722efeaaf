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

	"github.com/coppice-go/coppice/internal/testkit/child"
)

// slow is a module whose test and whose benchmark say when they have started, and then take an hour.
const slow = `
-- go.mod --
module example.org/slow

go 1.26
-- slow.go --
package slow

func One() int { return 1 }
-- slow_test.go --
package slow

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

func wait(where string) {
	if os.Getenv("SLOW") == where {
		_ = os.WriteFile(os.Getenv("STARTED"), []byte(strconv.Itoa(os.Getpid())), 0o666)
		time.Sleep(time.Hour)
	}
}

func TestSlow(t *testing.T) { wait("test") }

func BenchmarkSlow(b *testing.B) {
	for b.Loop() {
		One()
	}
	for _, a := range os.Args {
		if strings.HasPrefix(a, "-test.benchtime=") && strings.HasSuffix(a, "x") && a != "-test.benchtime=1x" && os.Getenv("COPPICE_METER_KEEP") == "" {
			wait("round")
		}
	}
}
`

// slowCompiler does as the tools of the go command do, but that it takes an hour to compile the module.
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

// aProof is coppice prove in a repository of its own.
type aProof struct {
	*testing.T
	dir, cache, temp, started string
	stderr                    strings.Builder
}

func newProof(t *testing.T) *aProof {
	dir := t.TempDir()
	p := &aProof{T: t, dir: filepath.Join(dir, "repository"), cache: filepath.Join(dir, "cache"), temp: filepath.Join(dir, "temp"), started: filepath.Join(dir, "started")}
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
	if err := os.WriteFile(filepath.Join(p.dir, "slow.go"), []byte("package slow\n\nfunc One() int { return 2 - 1 }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *aProof) git(args ...string) string {
	p.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = p.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// command is the program, not yet started. slow says which part of it takes an hour.
func (p *aProof) command(slow string, args ...string) *exec.Cmd {
	p.Helper()
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		p.Fatal(err)
	}
	cmd, err := child.Command()
	if err != nil {
		p.Fatal(err)
	}
	cmd.Args = append([]string{"coppice", "prove"}, args...) // TestMain knows it by this name
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "GOCACHE="+strings.TrimSpace(string(cache)), "XDG_CACHE_HOME="+p.cache, "TMPDIR="+p.temp, "SLOW="+slow, "STARTED="+p.started)
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
func (p *aProof) startedBy() int {
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
func (p *aProof) gone(pid int) {
	p.Helper()
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return
		}
		// Another test may have made this process the one that inherits orphans, and nobody waits for this one.
		if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil && strings.Contains(string(stat), ") Z ") {
			return
		}
	}
	p.Errorf("process %d still runs", pid)
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

// left lists what is in the folders for temporary files, of the command and of the go command.
func (p *aProof) left() (names []string) {
	for _, pattern := range []string{filepath.Join(p.cache, "coppice", "work", "*"), filepath.Join(p.temp, "*")} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			p.Fatal(err)
		}
		names = append(names, found...)
	}
	return names
}

func (p *aProof) unchanged() {
	p.Helper()
	if status := p.git("status", "--porcelain"); status != " M slow.go\n" {
		p.Errorf("git status says\n%s", status)
	}
	if all := p.git("worktree", "list"); strings.Count(all, "\n") != 1 {
		p.Errorf("git worktree list says\n%s", all)
	}
}

// An interrupted proof ends at once with all that it has started, and leaves nothing behind.
func TestInterruptedProofLeavesNothing(t *testing.T) {
	child.SkipEmulated(t, "it builds with the machine's own Go")
	for _, slow := range []string{"build", "test", "round"} {
		t.Run(slow, func(t *testing.T) {
			p := newProof(t)
			cmd := p.command(slow, "-base", "HEAD")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			pid := p.startedBy()
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != exitUsage {
				t.Errorf("exit code %d", code)
			}
			if said := p.stderr.String(); !strings.HasPrefix(said, "coppice: interrupted; ") || strings.Count(said, "\n") != 1 {
				t.Errorf("it says\n%s", said)
			}
			p.gone(pid)
			if left := p.left(); len(left) > 0 {
				t.Errorf("%v is left", left)
			}
			p.unchanged()
		})
	}
}

// What a killed proof leaves behind goes with the next one.
func TestKilledProofIsClearedAway(t *testing.T) {
	child.SkipEmulated(t, "it builds with the machine's own Go")
	p := newProof(t)
	cmd := p.command("round", "-base", "HEAD", "-equal", "none")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := p.startedBy()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	p.gone(pid)
	if len(p.left()) == 0 {
		t.Error("there was nothing to clear away")
	}
	if out, err := p.command("nothing", "-base", p.dir).Output(); err != nil || !strings.Contains(string(out), "IDENTICAL") {
		t.Fatalf("%v\n%s%s", err, out, p.stderr.String())
	}
	if left, _ := filepath.Glob(filepath.Join(p.cache, "coppice", "work", "*")); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
	p.unchanged()
}

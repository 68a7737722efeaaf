package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/testsize"
	"github.com/coppice-go/coppice/workshop/internal/worktree"
)

const (
	installs   = "go install ./cmd/coppice"
	starts     = "go run ./service "
	loads      = "go run ./service/load "
	applies    = "coppice fix -apply"
	fewerGoods = "50000" // instead of a million, which would take seconds to create
)

// prints lists the main commands in the order of the page, each with a string that its output
// contains regardless of what this machine measures.
var prints = []struct{ command, text string }{
	{loads + "-rate 500 ", "latency: p50 "},
	{"coppice find -heap ", "Does allocation cost anything?"},
	{"coppice fix -bench ", "BenchmarkSearch/form=before"},
	{"coppice prove -patch ", "head  replacer.patch"},
	{"coppice fix -arena ", "arena for parse"},
	{"coppice prove -key ", "equal by results"},
	{"coppice lab run ", "before"},
	{"curl ", `"answers"`},
}

// servicePage returns the commands of the walk-through for the example service.
func servicePage(t *testing.T) (commands []string) {
	t.Helper()
	for _, s := range steps("SERVICE.md", readFile(t, filepath.Join(root, "docs", "SERVICE.md"))) {
		commands = append(commands, s.command)
	}
	return commands
}

// The page contains the main commands in the expected order.
func TestOrderOfServicePage(t *testing.T) {
	rest := servicePage(t)
	for _, p := range prints {
		i := slices.IndexFunc(rest, func(command string) bool { return strings.HasPrefix(command, p.command) })
		if i < 0 {
			t.Fatalf("%q is not on the page, or before the previous of the main commands", p.command)
		}
		rest = rest[i+1:]
	}
}

// All flags, packages, benchmarks and patches on the page exist.
func TestFlagsOfServicePage(t *testing.T) {
	w := newWalk(t, root)
	if err := exec.CommandContext(t.Context(), "git", "-C", root, "rev-parse").Run(); err != nil {
		t.Skip("prove needs a repository:", err)
	}
	for _, command := range servicePage(t) {
		if !w.changesFolder(command) {
			if form := withoutWork(command); form != "" {
				w.sh(form)
			}
		}
	}
}

// withoutWork returns a variant of a command that only checks its arguments, or "" if there is
// none.
func withoutWork(command string) string {
	words := strings.Fields(command)
	switch {
	case command == installs:
		return command
	case strings.HasPrefix(command, "go run "):
		command, _, _ = strings.Cut(command, " >")
		return command + " -help"
	case command == applies: // it needs the patches of an earlier command
		return command + " -help"
	case words[0] == "coppice":
		name := "coppice " + words[1]
		if words[1] == "lab" {
			name += " " + words[2]
		}
		return name + " -n" + strings.TrimPrefix(command, name)
	}
	return ""
}

// Each command on the page does what the page says. The test runs the commands in a copy of the
// tree.
func TestCommandsOfServicePage(t *testing.T) {
	testsize.OnlyInFull(t, "it finds, fixes and proves, for minutes")
	clone := t.TempDir()
	if err := worktree.Copy(t.Context(), root, clone); err != nil {
		t.Skip(err)
	}
	w := newWalk(t, clone)
	w.sh("git init -q && git add . && git -c user.name=test -c user.email=test@example.org commit -q -m tree")
	for _, command := range servicePage(t) {
		t.Log("$", command)
		output := w.run(command)
		for _, p := range prints {
			if strings.HasPrefix(command, p.command) && !strings.Contains(output, p.text) {
				t.Errorf("%s prints no %q:\n%s", command, p.text, output)
			}
		}
	}
}

// A walk runs the commands of the page one after another.
type walk struct {
	t       *testing.T
	folder  string    // where the next command runs
	service *exec.Cmd // nil if none was started
	address string    // host and port of the service
}

// newWalk returns a walk that starts in the folder clone.
func newWalk(t *testing.T, clone string) *walk {
	t.Helper()
	for _, name := range []string{"sh", "git", "curl"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip("the page has commands for a shell:", err)
		}
	}
	folder, err := filepath.Abs(clone)
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	t.Setenv("GOBIN", bin)
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	t.Setenv("GOWORK", "")
	t.Setenv("GOFLAGS", "")
	w := &walk{t: t, folder: folder}
	t.Cleanup(w.stop)
	return w
}

// run runs a command with a reduced workload and returns its output.
func (w *walk) run(command string) (output string) {
	w.t.Helper()
	switch {
	case w.changesFolder(command):
		return ""
	case strings.HasPrefix(command, starts):
		w.start(strings.Fields(strings.TrimPrefix(command, starts)))
		return ""
	case command == applies && !w.lastKept():
		return w.sh("! " + command) // fix reports that it kept no patch
	}
	// With six rounds, prove cannot show a difference in time, so it exits with code 0. Ten rounds
	// are enough for fix to keep a patch.
	command = strings.NewReplacer(
		"localhost:8080", w.address,
		loads, loads+"-url http://"+w.address+"/search -goods "+fewerGoods+" ",
		"coppice fix -bench ", "coppice fix -rounds 10 -bench ",
		"coppice fix -arena ", "coppice fix -rounds 10 -arena ",
		"coppice prove ", "coppice prove -rounds 6 ",
		"coppice lab run service", "coppice lab run service -depth 8 -runs 1 -warmup 0",
	).Replace(command)
	if aside, ok := strings.CutSuffix(command, " &"); ok {
		w.aside(aside)
		return ""
	}
	return w.sh(command)
}

// changesFolder reports whether a command changes the working folder. If so, it applies the change
// to w.
func (w *walk) changesFolder(command string) bool {
	folder, changes := strings.CutPrefix(command, "cd ")
	if changes {
		w.folder = filepath.Join(w.folder, folder)
	}
	return changes
}

// lastKept reports whether the last coppice fix kept a patch.
func (w *walk) lastKept() bool {
	_, err := os.Stat(filepath.Join(w.folder, "coppice-fix", "all.patch"))
	return err == nil
}

// sh runs a command and returns its output.
func (w *walk) sh(command string) string {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), "sh", "-c", command)
	cmd.Dir = w.folder
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("%s: %v\n%s", command, err, out)
	}
	return string(out)
}

// aside runs a command concurrently with those that follow. The test waits for it at the end.
func (w *walk) aside(command string) {
	w.t.Helper()
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = w.folder
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = cmd.Wait() }) // an error only means that the service ended first
}

// start stops the running service, starts another one on a free port, and waits until it listens.
// It builds the service first, because killing go run would leave the service running.
func (w *walk) start(flags []string) {
	w.t.Helper()
	w.stop()
	program := filepath.Join(w.t.TempDir(), "service")
	w.sh("go build -o '" + program + "' ./service")
	w.service = exec.Command(program, append(flags, "-address", "localhost:0", "-goods", fewerGoods)...)
	out, err := w.service.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := w.service.Start(); err != nil {
		w.t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	address, listens := strings.CutPrefix(strings.TrimSpace(line), "service: listening on ")
	if err != nil || !listens {
		w.t.Fatalf("the service prints %q: %v", line, err)
	}
	w.address = address
}

// stop kills the service and waits for its end.
func (w *walk) stop() {
	if w.service == nil || w.service.Process == nil {
		return
	}
	_ = w.service.Process.Kill() // the service may already have ended
	_ = w.service.Wait()         // the error only reports the kill
	w.service = nil
}

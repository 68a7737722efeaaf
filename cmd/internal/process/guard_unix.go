//go:build unix

package process

import (
	"os"
	"os/exec"
)

// guarded is a shell script that starts a guard and then replaces the shell with a command. The
// guard waits for the end of a pipe that this program holds open, and then kills the process group.
// The guard inherits nothing else from the command, so that readers of the command's output do not
// wait for the guard.
const guarded = `( read x <&3; kill -9 0 ) </dev/null >/dev/null 2>&1 & exec 3<&-; exec "$@"`

// A guard ends the process group of a command when this program ends, or when this program calls
// end.
type guard struct{ theirs, ours *os.File }

// guardGroup changes a command so that it starts with a guard. The command must not be started yet,
// and must lead its own process group. If the machine has no shell, the guard does nothing.
func guardGroup(cmd *exec.Cmd) (g guard, err error) {
	shell, err := exec.LookPath("sh")
	if err != nil || checkProgram(cmd) != nil {
		return g, nil // starting the command reports what is wrong with it
	}
	if g.theirs, g.ours, err = os.Pipe(); err != nil {
		return g, err
	}
	cmd.Args = append([]string{shell, "-c", guarded, "sh", cmd.Path}, cmd.Args[1:]...)
	cmd.Path = shell
	cmd.ExtraFiles = []*os.File{g.theirs}
	return g, nil
}

// started closes this program's copy of the command's end of the pipe. It is called when the
// command has been started, or cannot be started.
func (g guard) started() {
	if g.theirs != nil {
		_ = g.theirs.Close() // it is never written to
	}
}

// end ends the remaining processes in the group of a command that has ended.
func (g guard) end(cmd *exec.Cmd) {
	if g.ours == nil {
		return
	}
	_ = g.ours.Close()
	if cmd.Process != nil {
		reap(cmd.Process.Pid)
	}
}

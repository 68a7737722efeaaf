//go:build unix

package process

import (
	"os"
	"os/exec"
)

// guarded starts a guard, and then a command in place of the shell. The guard waits for the end of
// a pipe that this program holds open, and kills the group. It inherits nothing else from the
// command, so that no reader of the command's output waits for it.
const guarded = `( read x <&3; kill -9 0 ) </dev/null >/dev/null 2>&1 & exec 3<&-; exec "$@"`

// A guard ends the group of a process when this program ends, or when this program calls end.
type guard struct{ theirs, ours *os.File }

// guardGroup gives a guard to a command that is not yet started and leads a group of its own.
// Without a shell there is no guard.
func guardGroup(cmd *exec.Cmd) (g guard, err error) {
	shell, err := exec.LookPath("sh")
	if err != nil || found(cmd) != nil {
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

// started records that the command has its own end of the pipe, or was not started.
func (g guard) started() {
	if g.theirs != nil {
		_ = g.theirs.Close() // it is never written to
	}
}

// end ends what is left of the group of a command that has ended.
func (g guard) end(cmd *exec.Cmd) {
	if g.ours == nil {
		return
	}
	_ = g.ours.Close()
	if cmd.Process != nil {
		reap(cmd.Process.Pid)
	}
}

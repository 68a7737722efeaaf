package process

import (
	"bytes"
	"os/exec"
)

// Output runs a command as cmd.Output does. Before Output returns, it ends all processes that the
// command has started. They also end when this program ends, even if it is killed, and when the
// command's context ends (see endTogether). The command must have a context.
func Output(cmd *exec.Cmd) ([]byte, error) {
	endTogether(cmd)
	g, err := guardGroup(cmd)
	if err != nil {
		return nil, err
	}
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	err = cmd.Start()
	g.started()
	defer g.end(cmd)
	if err == nil {
		err = cmd.Wait()
	}
	return stdout.Bytes(), err
}

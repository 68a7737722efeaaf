package process

import (
	"bytes"
	"os/exec"
)

// Output runs a command as cmd.Output does. All processes that it starts end when Output returns,
// and when this program ends, even if this program is killed. The command must have a context,
// whose end also ends all of these processes: see endTogether.
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

package driver

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Module returns the folder of a module that the driver with the given name requires. Programs
// run in the root of the repository.
func Module(name, module string) (string, error) {
	folder := filepath.Join("workloads", "foreign", name)
	if _, err := os.Stat(filepath.Join(folder, "go.mod")); err != nil {
		folder = "." // go run -C runs the driver in its own folder
	}
	return goCommand(folder, "list", "-m", "-f", "{{.Dir}}", module)
}

// GOROOT returns the GOROOT folder of the go command.
func GOROOT() (string, error) { return goCommand(".", "env", "GOROOT") }

func goCommand(folder string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = folder, append(os.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		return "", fmt.Errorf("go %s: %s", args[0], strings.Join(strings.Fields(string(failed.Stderr)), " "))
	}
	if err != nil {
		return "", fmt.Errorf("go %s: %w", args[0], err)
	}
	answer := strings.TrimSpace(string(out))
	if answer == "" {
		return "", fmt.Errorf("go %s prints no folder; run make deps", strings.Join(args, " "))
	}
	return answer, nil
}

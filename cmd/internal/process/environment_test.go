package process

import (
	"context"
	"os"
	"strings"
	"testing"
)

// answers is an executor that calls a function for each command name instead of starting a process.
type answers map[string]func(Command) (Outcome, error)

func (a answers) Execute(_ context.Context, c Command) (Outcome, error) { return a[c.Args[0]](c) }

// A tool that does not answer in time is omitted from the report.
func TestHangingTool(t *testing.T) {
	said := func(text string) func(Command) (Outcome, error) {
		return func(c Command) (Outcome, error) {
			if c.Timeout != AnswerTime {
				t.Errorf("%v may take %v, want %v", c.Args, c.Timeout, AnswerTime)
			}
			return Outcome{Stdout: []byte(text)}, nil
		}
	}
	tools := answers{
		"go": said("go1.99\n"), "clang": said("clang 99\nmore\n"),
		"gcc": func(Command) (Outcome, error) { return Outcome{Stdout: []byte("gcc 99\n"), TimedOut: true}, nil },
	}
	values := Environment(t.Context(), tools)
	if gcc, there := values["gcc"]; there || values["clang"] != "clang 99" || values["go"] != "go1.99" {
		t.Errorf("gcc is %q, clang is %q, go is %q", gcc, values["clang"], values["go"])
	}
}

// Machines are identified by a hash that does not reveal their names.
func TestHostIsHashed(t *testing.T) {
	name, err := os.Hostname()
	if err != nil || name == "" {
		t.Skip("this machine has no name")
	}
	if host := hostOf(); len(host) != 8 || strings.Contains(host, name) || host != hostOf() {
		t.Errorf("%s is %q", name, host)
	}
}

package report

import (
	"fmt"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/lab/record"
)

// slow is the ratio of CPU times at which a host is treated as slow. The CPU time of a process that
// does nothing differs by up to a third between days. On a virtual machine whose neighbours use the
// same memory, it is two to three times as long as usual, and the load does not show this.
const slow = 1.5

// Speeds returns a warning about each session that ran on a slower host than the fastest session
// with the same kind of processor.
func Speeds(sessions []record.Session) []string { return speeds(environments(sessions)) }

// speeds is Speeds for the environments of sessions.
func speeds(sessions []record.Environment) (all []string) {
	fastest := map[kind]record.Environment{}
	for _, env := range sessions {
		if cpu, ok := nothing(env); ok {
			if best, ok := nothing(fastest[kindOf(env)]); !ok || cpu < best {
				fastest[kindOf(env)] = env
			}
		}
	}
	for _, env := range sessions {
		best := fastest[kindOf(env)]
		cpu, known := nothing(env)
		least, ok := nothing(best)
		if !known || !ok || cpu < slow*least {
			continue
		}
		text := fmt.Sprintf("session %s ran on a slower host than session %s: a process that does nothing took %.1f ms of CPU time, and %.1f ms there; compare programs within a session",
			env.Session, best.Session, cpu, least)
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

// A kind contains the values that must be equal in two sessions whose process times are compared.
type kind struct{ cpu, goos, goarch string }

func kindOf(env record.Environment) kind {
	return kind{env.Values["cpu"], env.Values["goos"], env.Values["goarch"]}
}

// nothing returns the CPU time of a process that does nothing in ms, if the session has it, and
// names its processor.
func nothing(env record.Environment) (ms float64, ok bool) {
	var wall float64
	n, _ := fmt.Sscanf(env.Values["instrument"], "%f ms wall, %f ms CPU", &wall, &ms)
	return ms, n == 2 && ms > 0 && env.Values["cpu"] != ""
}

package report

import (
	"fmt"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/lab/record"
)

// slow is the ratio of CPU times above which a host is reported as slow. The CPU time of a process
// that does nothing varies by up to a third between days. On a virtual machine whose neighbours use
// the same memory, it is two to three times as long as usual, although the load does not show this.
const slow = 1.5

// Speeds returns a warning for each session whose host was slower, at least by the factor slow,
// than the host of the fastest session on the same kind of processor.
func Speeds(sessions []record.Session) []string { return speeds(environments(sessions)) }

// speeds is like Speeds, but takes the environments of the sessions.
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

// A kind contains the values that two sessions must share for their process times to be comparable.
type kind struct{ cpu, goos, goarch string }

func kindOf(env record.Environment) kind {
	return kind{env.Values["cpu"], env.Values["goos"], env.Values["goarch"]}
}

// nothing returns the CPU time, in ms, of a process that does nothing. ok is false if the session
// did not record this time or its processor.
func nothing(env record.Environment) (ms float64, ok bool) {
	var wall float64
	n, _ := fmt.Sscanf(env.Values["instrument"], "%f ms wall, %f ms CPU", &wall, &ms)
	return ms, n == 2 && ms > 0 && env.Values["cpu"] != ""
}

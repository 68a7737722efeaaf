package quiet

import (
	"cmp"
	"fmt"
)

// Mark is the note that is shown with each figure from a busy machine.
const Mark = "measured on a busy machine"

// Kept returns the load at the start of a session, which is stored in the session's environment.
// Old sessions have stored only the one-minute average.
func Kept(values map[string]string) Load {
	l := Load{Average: values[LoadKey], Cores: 1}
	if n, _ := fmt.Sscan(l.Average, &l.Minute); n != 1 {
		return l
	}
	l.Known = true
	_, _ = fmt.Sscan(cmp.Or(values[NowKey], "0"), &l.Now)
	_, _ = fmt.Sscan(values[CoresKey], &l.Cores)
	return l
}

// Began describes the load at the start of a session.
func (l Load) Began() string {
	return fmt.Sprintf("the load was %.1f on %d processors at the start", l.greater(), l.Cores)
}

// Short describes a stored load in a few words for a table, such as "busy, load 8.1".
func (l Load) Short() string {
	switch {
	case !l.Known:
		return "load unknown"
	case l.Busy():
		return fmt.Sprintf("busy, load %.1f", l.greater())
	default:
		return "quiet"
	}
}

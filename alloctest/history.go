package alloctest

import (
	"fmt"
	"strings"
)

// A history records the calls of a trial. Consecutive equal calls are stored once, with their
// count.
type history struct {
	calls []call
}

// A call is an entry of a history. It consists of a formatted call, and the number of times that
// the call was made in a row.
type call struct {
	text  string
	times int
}

// add appends a call to the history.
func (h *history) add(text string) {
	if n := len(h.calls); n > 0 && h.calls[n-1].text == text {
		h.calls[n-1].times++
		return
	}
	h.calls = append(h.calls, call{text, 1})
}

// shown is the maximum number of calls in a failure message.
const shown = 20

// String formats the last calls, such as "New x 12, Reset, New".
func (h *history) String() string {
	var text strings.Builder
	calls := h.calls
	if more := len(calls) - shown; more > 0 {
		fmt.Fprintf(&text, "%d more, then ", more)
		calls = calls[more:]
	}
	for i, c := range calls {
		if i > 0 {
			text.WriteString(", ")
		}
		text.WriteString(c.text)
		if c.times > 1 {
			fmt.Fprintf(&text, " x %d", c.times)
		}
	}
	if text.Len() == 0 {
		return "nothing"
	}
	return text.String()
}

package alloctest

import (
	"fmt"
	"strings"
)

// A history records the calls that were made, with repetitions counted.
type history struct {
	calls []call
}

// A call records one call, and how many times in a row it was made.
type call struct {
	text  string
	times int
}

// add records one call.
func (h *history) add(text string) {
	if n := len(h.calls); n > 0 && h.calls[n-1].text == text {
		h.calls[n-1].times++
		return
	}
	h.calls = append(h.calls, call{text, 1})
}

// shown is the number of calls in a message.
const shown = 20

// String formats the last calls: "New x 12, Reset, New".
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

package cpp

import (
	"bytes"
	"fmt"
)

// lines collects the lines of a generated file that is not reformatted afterwards.
type lines struct{ bytes.Buffer }

func (l *lines) p(line string, args ...any) {
	if len(args) > 0 {
		line = fmt.Sprintf(line, args...)
	}
	l.WriteString(line)
	l.WriteByte('\n')
}

package main

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress is a bar on standard error while a long run works; without a terminal
// there it does nothing.
type progress struct{ bar *progressbar.ProgressBar }

func newProgress(stderr io.Writer, total uint64) progress {
	file, ok := stderr.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return progress{}
	}
	return progress{progressbar.NewOptions64(int64(total),
		progressbar.OptionSetWriter(stderr),
		progressbar.OptionSetDescription("building trees"),
		progressbar.OptionThrottle(200*time.Millisecond),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionClearOnFinish(),
	)}
}

// add reports that so many more nodes were built and walked.
func (p progress) add(nodes uint64) {
	if p.bar != nil {
		p.bar.Add64(int64(nodes))
	}
}

// clear takes the bar off the screen.
func (p progress) clear() {
	if p.bar != nil {
		p.bar.Clear()
	}
}

// over returns a writer to out that takes the bar off the screen before each line,
// in case out is the same terminal.
func (p progress) over(out io.Writer) io.Writer {
	if p.bar == nil {
		return out
	}
	return clearing{p, out}
}

type clearing struct {
	progress
	out io.Writer
}

func (c clearing) Write(line []byte) (int, error) {
	c.clear()
	return c.out.Write(line)
}

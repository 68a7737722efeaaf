package main

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows a bar on standard error. It shows nothing if standard error is not a terminal, or
// if TERM is dumb.
type progress struct{ bar *progressbar.ProgressBar }

func newProgress(stderr io.Writer, nodes uint64) progress {
	if file, ok := stderr.(*os.File); !ok || os.Getenv("TERM") == "dumb" || !term.IsTerminal(int(file.Fd())) {
		return progress{}
	}
	return progress{progressbar.NewOptions64(int64(nodes),
		progressbar.OptionSetWriter(stderr),
		progressbar.OptionSetDescription("building trees"),
		progressbar.OptionThrottle(200*time.Millisecond),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionClearOnFinish(),
	)}
}

// add is safe for concurrent use.
func (p progress) add(nodes uint64) {
	if p.bar != nil {
		_ = p.bar.Add64(int64(nodes)) // continue without the terminal if it is closed
	}
}

func (p progress) clear() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}

// over returns a writer to out that removes the bar before each write, because out may be the
// same terminal.
func (p progress) over(out io.Writer) io.Writer {
	if p.bar == nil {
		return out
	}
	return above{p, out}
}

type above struct {
	progress
	out io.Writer
}

func (a above) Write(line []byte) (int, error) {
	a.clear()
	return a.out.Write(line)
}

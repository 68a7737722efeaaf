package main

import (
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress is a bar on standard error that names what runs now; without a terminal
// there it does nothing.
type progress struct{ bar *progressbar.ProgressBar }

func newProgress(stderr io.Writer, steps int) progress {
	file, ok := stderr.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return progress{}
	}
	return progress{progressbar.NewOptions(steps,
		progressbar.OptionSetWriter(stderr),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionClearOnFinish(),
	)}
}

// step says what starts now.
func (p progress) step(what string) {
	if p.bar != nil {
		p.bar.Describe(what)
		p.bar.Add(1)
	}
}

// clear takes the bar off the screen.
func (p progress) clear() {
	if p.bar != nil {
		p.bar.Clear()
	}
}

// Command recording runs commands and draws what a terminal would have shown, as an SVG that plays once:
//
//	go run ./workshop/recording -seconds 30 'coppice find' 'coppice fix' > docs/recording.svg
//
// sh runs one command after the other, in the current folder; what they print on standard output is shown line by line, and their
// standard error is not. The order is what happened; waits are shortened and lines come one by one, so that all of it takes so many seconds.
// Where pictures do not move, the first screen stands there. A command that fails is shown like any other, with its exit code. scripts/recording.sh records find, fix and prove in a module of others.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"html/template"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("recording", flag.ContinueOnError)
	flags.SetOutput(stderr)
	seconds := flags.Float64("seconds", 30, "how `long` the picture plays")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if flags.NArg() == 0 || !(*seconds > 0) {
		fmt.Fprintln(stderr, "recording: wants commands, and seconds above zero; try: go run ./workshop/recording 'go version'")
		return 2
	}
	lines, err := record(flags.Args(), stderr)
	if err == nil {
		err = draw(stdout, shorten(lines, *seconds))
	}
	if err != nil {
		fmt.Fprintln(stderr, "recording:", err)
		return 1
	}
	return 0
}

// A line of the screen, and when it came, in seconds from the start.
type line struct {
	Text string
	At   float64
}

// record runs the commands.
func record(commands []string, stderr io.Writer) (all []line, err error) {
	start := time.Now()
	add := func(text string) { all = append(all, line{text, time.Since(start).Seconds()}) }
	for _, c := range commands {
		add("$ " + c)
		cmd := exec.Command("sh", "-c", c)
		cmd.Stderr = stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			return nil, err
		}
		if err := cmd.Start(); err != nil {
			return nil, err
		}
		scanner := bufio.NewScanner(out)
		for scanner.Scan() {
			add(scanner.Text())
		}
		failed := errors.Join(scanner.Err(), cmd.Wait())
		if exit := (*exec.ExitError)(nil); errors.As(failed, &exit) {
			add(fmt.Sprintf("(exit code %d)", exit.ExitCode()))
		} else if failed != nil {
			return nil, failed
		}
		add("")
	}
	return all, nil
}

// longest and shortest are the waits between two lines, in seconds, before all are scaled: minutes of measuring are nothing to watch, and
// nobody reads forty lines that come at once.
const longest, shortest = 2, 0.25

// shorten makes the last line come at the end of so many seconds, less a tenth in which it can be read.
func shorten(lines []line, seconds float64) []line {
	short := make([]line, len(lines))
	at, before := 0.0, 0.0
	for i, l := range lines {
		if i > 0 {
			at += min(max(l.At-before, shortest), longest)
		}
		before = l.At
		short[i] = line{l.Text, at}
	}
	if at == 0 {
		return short
	}
	for i := range short {
		short[i].At *= 0.9 * seconds / at
	}
	return short
}

// The screen, in lines and letters, and the size of a letter in the picture's units.
const (
	rows    = 28
	columns = 104
	high    = 17
	wide    = 8
)

// draw writes the picture. A text is hidden from the start until its time, and all move up when the screen is full.
func draw(w io.Writer, lines []line) error {
	type text struct {
		line
		Y int
	}
	texts := make([]text, 0, len(lines))
	up, times := make([]string, 0, len(lines)), make([]string, 0, len(lines))
	var commands []string
	end := 1.0
	if n := len(lines); n > 0 && lines[n-1].At > 0 {
		end = lines[n-1].At
	}
	for i, l := range lines {
		if command, typed := strings.CutPrefix(l.Text, "$ "); typed {
			commands = append(commands, command)
		}
		l.Text = cut(strings.ReplaceAll(l.Text, "\t", "    "))
		texts = append(texts, text{l, (i + 1) * high})
		up = append(up, fmt.Sprintf("0 %d", -max(0, i+1-rows)*high))
		times = append(times, fmt.Sprintf("%.4f", l.At/end))
	}
	if len(times) > 0 {
		times[0] = "0" // as the format wants it
	}
	return page.Execute(w, map[string]any{
		"Width": columns*wide + 20, "Height": rows*high + 16, "Texts": texts, "End": fmt.Sprintf("%.3f", end),
		"Commands": strings.Join(commands, ", "), "Up": strings.Join(up, ";"), "Times": strings.Join(times, ";"),
	})
}

// cut cuts a line to the width of the screen.
func cut(text string) string {
	letters := []rune(text)
	if len(letters) <= columns {
		return text
	}
	return string(letters[:columns-1]) + "…"
}

var page = template.Must(template.New("recording").Parse(`<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {{.Width}} {{.Height}}" font-family="monospace" font-size="13" fill="#d8dedb">
<title>A terminal in which somebody types {{.Commands}}</title>
<rect width="{{.Width}}" height="{{.Height}}" rx="6" fill="#1b1f1d"/>
<svg x="10" y="4" width="{{.Width}}" height="{{.Height}}" overflow="hidden">
<g>
{{if .Texts}}<animateTransform attributeName="transform" type="translate" calcMode="discrete" dur="{{.End}}s" fill="freeze" keyTimes="{{.Times}}" values="{{.Up}}"/>
{{end}}{{range .Texts}}{{if .Text}}<text y="{{.Y}}" xml:space="preserve"{{if gt .At 0.0}}>{{.Text}}<set attributeName="visibility" to="hidden" begin="0s" dur="{{printf "%.3f" .At}}s"/>{{else}}>{{.Text}}{{end}}</text>
{{end}}{{end}}</g>
</svg>
</svg>
`))

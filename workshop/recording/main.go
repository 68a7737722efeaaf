// Command recording runs commands and draws their terminal output as an SVG that plays in a loop:
//
//	go run ./workshop/recording -seconds 30 'coppice find' 'coppice fix' > docs/recording.svg
//
// recording runs the given commands with sh, one after the other, in the current folder. It shows
// their standard output line by line, but not their standard error. The lines appear in their
// original order; waits are scaled so that the recording takes the given number of seconds. Viewers
// that prefer reduced motion, or do not animate pictures, show the last screen. The picture's
// description states which commands ran, and how the recording ends. A command that fails is shown
// like any other, with its exit code. With -before, an additional command runs before each of the
// commands, for example one that waits until the machine is idle. The picture contains neither its
// time nor its output; if it fails, the recording fails. scripts/recording.sh records find, fix and
// prove in a third-party module.
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
	before := flags.String("before", "", "a `command` to run before each, which is not recorded")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if flags.NArg() == 0 || !(*seconds > 0) {
		fmt.Fprintln(stderr, "recording: want commands, and -seconds above zero; try: go run ./workshop/recording 'go version'")
		return 2
	}
	r := recorder{now: time.Now, sh: func(command string, show func(line string)) error { return sh(command, stderr, show) }, before: *before}
	lines, err := r.record(flags.Args())
	if err == nil {
		err = draw(stdout, shorten(lines, *seconds), *seconds)
	}
	if err != nil {
		fmt.Fprintln(stderr, "recording:", err)
		return 1
	}
	return 0
}

// A line is a line of the screen, with the time at which it appears, in seconds from the start.
type line struct {
	Text string
	At   float64
}

// A recorder runs commands by calling sh, which calls show for each line of output.
type recorder struct {
	now    func() time.Time
	sh     func(command string, show func(line string)) error
	before string // a command to run before each of the others, or ""
}

// record runs the commands and returns the lines to show. Their times do not include the run time
// of r.before.
func (r recorder) record(commands []string) (all []line, err error) {
	start := r.now()
	add := func(text string) { all = append(all, line{text, r.now().Sub(start).Seconds()}) }
	for _, c := range commands {
		if r.before != "" {
			began := r.now()
			if err := r.sh(r.before, func(string) {}); err != nil {
				return nil, fmt.Errorf("before %s: %s: %w", c, r.before, err)
			}
			start = start.Add(r.now().Sub(began))
		}
		add("$ " + c)
		failed := r.sh(c, add)
		if exit := (*exec.ExitError)(nil); errors.As(failed, &exit) {
			add(fmt.Sprintf("(exit code %d)", exit.ExitCode()))
		} else if failed != nil {
			return nil, failed
		}
		add("")
	}
	return all, nil
}

// sh runs a command, and calls show for each line as soon as the command prints it.
func sh(command string, stderr io.Writer, show func(line string)) error {
	cmd := exec.Command("sh", "-c", command)
	cmd.Stderr = stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	scanner := bufio.NewScanner(out)
	for scanner.Scan() {
		show(scanner.Text())
	}
	return errors.Join(scanner.Err(), cmd.Wait())
}

// longest and shortest limit the wait between two lines, in seconds, before the times are scaled.
// Otherwise, viewers would have to wait for minutes during measurements, and could not read forty
// lines that appear at once. typing is the time that it takes to type a command.
const longest, shortest, typing = 2, 0.25, 1

// shorten scales the times so that the last line appears after nine tenths of the given seconds.
// This leaves one tenth to read that line.
func shorten(lines []line, seconds float64) []line {
	short := make([]line, len(lines))
	at, before := 0.0, line{}
	for i, l := range lines {
		if i > 0 {
			at += min(max(l.At-before.At, shortest), longest)
			if isCommand(before.Text) {
				at += typing
			}
		}
		before = l
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

func isCommand(text string) bool { return strings.HasPrefix(text, "$ ") }

// These are the screen size, in lines and characters, and the character size, in picture units.
// Common monospaced fonts have this width at a font size of 13; textLength enforces the width for
// others.
const (
	rows    = 28
	columns = 104
	high    = 17
	wide    = 7.8
)

// A text is a line of the picture.
type text struct {
	Text, Class string
	Y           int
	Length      float64
}

// A command describes the animation of typing a command character by character: a cover moves
// across the line. From and Till are the times at which it starts and stops, as percentages of the
// recording's duration.
type command struct {
	Y, Letters int
	Width      float64
	From, Till float64
}

// A step describes the state of the screen from the time At on. At is a percentage of the
// recording's duration.
type step struct {
	At       float64
	Up, Down int // vertical offsets of the lines, which move up, and of the cover, which moves down
}

// draw writes the picture to w. A cover hides the lines that have not appeared yet, and moves down
// by one line for each line that appears. When the screen is full, all lines move up.
func draw(w io.Writer, lines []line, seconds float64) error {
	texts, steps := make([]text, 0, len(lines)), make([]step, 0, len(lines))
	var typed []command
	var names []string
	percent := func(at float64) float64 { return 100 * at / seconds }
	for i, l := range lines {
		y := (i + 1) * high
		short := cut(strings.ReplaceAll(l.Text, "\t", "    "))
		letters := len([]rune(short))
		texts = append(texts, text{short, colour(short), y, float64(letters) * wide})
		steps = append(steps, step{percent(l.At), -max(0, i+1-rows) * high, y + high/3})
		if isCommand(l.Text) && i+1 < len(lines) {
			names = append(names, strings.TrimPrefix(l.Text, "$ "))
			end := l.At + (lines[i+1].At-l.At)/2
			typed = append(typed, command{y, letters - 2, float64(letters-2) * wide, percent(l.At), percent(end)})
		}
	}
	var last step // state of the screen if nothing is animated
	if len(steps) > 0 {
		last = steps[len(steps)-1]
		steps[0].At = 0
	}
	return page.Execute(w, map[string]any{
		"Width": columns*wide + 32, "Bar": columns*wide + 16, "Height": rows*high + 52, "Inner": rows*high + 8, "Rows": rows * high, "Texts": texts, "Steps": steps, "Typed": typed,
		"Seconds": seconds, "Last": last.Up, "Down": last.Down, "Commands": strings.Join(names, "; "), "End": ending(lines),
	})
}

// colour returns the CSS class of a line, such as "command" for commands and "keep" for verdicts.
// It is "" for ordinary lines.
func colour(line string) string {
	switch {
	case isCommand(line):
		return "command"
	case strings.Contains(line, "KEEP"):
		return "keep"
	case strings.Contains(line, "REVERT"), strings.HasPrefix(line, "(exit code"):
		return "revert"
	}
	return ""
}

// ending returns the last line that is not empty.
func ending(lines []line) string {
	for i := len(lines) - 1; i >= 0; i-- {
		if t := strings.TrimSpace(lines[i].Text); t != "" {
			return cut(t)
		}
	}
	return ""
}

// cut shortens a line to the width of the screen.
func cut(text string) string {
	letters := []rune(text)
	if len(letters) <= columns {
		return text
	}
	return string(letters[:columns-1]) + "…"
}

var page = template.Must(template.New("recording").Parse(`<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="what how" viewBox="0 0 {{.Width}} {{.Height}}">
<title id="what">A terminal in which somebody types {{.Commands}}</title>
<desc id="how">It ends with: {{.End}}</desc>
<style>
text { font: 13px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #d8dedb; white-space: pre; }
.command { fill: #fff; font-weight: bold; } .keep { fill: #6cc79b; font-weight: bold; } .revert { fill: #ff8a80; font-weight: bold; }
.cover { fill: #1b1f1d; }
.typing { visibility: hidden; }
@media (prefers-reduced-motion: no-preference) {
.lines { animation: up {{.Seconds}}s step-end infinite; }
.below { animation: down {{.Seconds}}s step-end infinite; }
{{range $i, $c := .Typed}}.type{{$i}} { animation: type{{$i}} {{$.Seconds}}s linear infinite; }
@keyframes type{{$i}} { 0% { visibility: visible; transform: translateX(0); } {{printf "%.3f" .From}}% { visibility: visible; transform: translateX(0); animation-timing-function: steps({{.Letters}}); } {{printf "%.3f" .Till}}% { visibility: hidden; transform: translateX({{.Width}}px); } 100% { visibility: hidden; transform: translateX({{.Width}}px); } }
{{end}}@keyframes up { {{range .Steps}}{{printf "%.3f" .At}}% { transform: translateY({{.Up}}px); } {{end}}100% { transform: translateY({{.Last}}px); } }
@keyframes down { {{range .Steps}}{{printf "%.3f" .At}}% { transform: translateY({{.Down}}px); } {{end}}}
}
</style>
<rect width="{{.Width}}" height="{{.Height}}" rx="8" class="cover"/>
<svg x="16" y="36" width="{{.Width}}" height="{{.Inner}}" overflow="hidden">
<g class="lines" transform="translate(0 {{.Last}})">
{{range .Texts}}{{if .Text}}<text y="{{.Y}}" xml:space="preserve" textLength="{{printf "%.1f" .Length}}"{{with .Class}} class="{{.}}"{{end}}>{{.Text}}</text>
{{end}}{{end}}{{range $i, $c := .Typed}}<g class="typing type{{$i}}"><rect x="15.6" y="{{.Y}}" width="{{$.Width}}" height="17" class="cover" transform="translate(0 -12)"/><rect x="16" y="{{.Y}}" width="7" height="14" fill="#d8dedb" transform="translate(0 -11)"/></g>
{{end}}<rect class="below cover" transform="translate(0 {{.Down}})" width="{{.Width}}" height="{{.Rows}}"/>
</g>
</svg>
<rect x="8" y="6" width="{{.Bar}}" height="32" class="cover"/>
<circle cx="20" cy="18" r="6" fill="#ff5f57"/><circle cx="40" cy="18" r="6" fill="#febc2e"/><circle cx="60" cy="18" r="6" fill="#28c840"/>
</svg>
`))

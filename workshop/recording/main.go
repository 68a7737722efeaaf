// Command recording runs commands and draws what a terminal would have shown, as an SVG that plays
// in a loop:
//
//	go run ./workshop/recording -seconds 30 'coppice find' 'coppice fix' > docs/recording.svg
//
// sh runs one command after the other, in the current folder. Their standard output is shown line
// by line; their standard error is not shown. The order of the lines is the real one, but waits are
// shortened and lines come one by one, so that the recording takes a given number of seconds. With
// prefers-reduced-motion, and where pictures do not move, the last screen is shown. The picture's
// description states which commands ran, and how the recording ends. A command that fails is shown
// like any other, with its exit code. With -before, sh runs an additional command before each of
// them, such as one that waits for a quiet machine: neither its time nor its output is in the
// picture, and if it fails, the recording fails. scripts/recording.sh records find, fix and prove
// in a third-party module.
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

// A line is a line of the screen, with the seconds from the start to its appearance.
type line struct {
	Text string
	At   float64
}

// A recorder runs commands with the function sh, which calls show for each line of output.
type recorder struct {
	now    func() time.Time
	sh     func(command string, show func(line string)) error
	before string // a command to run before each of the others, or ""
}

// record runs the commands. The time of the command in before is not included.
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

// sh runs a command and shows its lines as the command prints them.
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

// longest and shortest bound the waits between two lines, in seconds, before all are scaled.
// Without them, a reader would wait during minutes of measuring, and could not read forty lines
// that appear at once. typing is the time to type a command.
const longest, shortest, typing = 2, 0.25, 1

// shorten rescales the times, so that the last line comes after nine tenths of the given seconds.
// In the last tenth the reader can read that line.
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

// These are the size of the screen, in lines and letters, and the size of a letter in the picture's
// units. The usual monospaced fonts have this width at a font size of 13; textLength enforces it in
// others.
const (
	rows    = 28
	columns = 104
	high    = 17
	wide    = 7.8
)

// A text is a line as it is drawn.
type text struct {
	Text, Class string
	Y           int
	Length      float64
}

// A command is typed letter by letter: a cover moves over its line between two times, which are
// percentages of the recording.
type command struct {
	Y, Letters int
	Width      float64
	From, Till float64
}

// A step describes the screen from a given time on, which is a percentage of the recording.
type step struct {
	At       float64
	Up, Down int // how far the screen has moved up, and the cover of later lines down
}

// draw writes the picture. Lines lie below a cover, which moves down by one line for each of them.
// All lines move up when the screen is full.
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
	var last step // where nothing moves
	if len(steps) > 0 {
		last = steps[len(steps)-1]
		steps[0].At = 0
	}
	return page.Execute(w, map[string]any{
		"Width": columns*wide + 32, "Bar": columns*wide + 16, "Height": rows*high + 52, "Inner": rows*high + 8, "Rows": rows * high, "Texts": texts, "Steps": steps, "Typed": typed,
		"Seconds": seconds, "Last": last.Up, "Down": last.Down, "Commands": strings.Join(names, "; "), "End": ending(lines),
	})
}

// colour returns the class of a line with a special meaning: a command, a verdict, a failure.
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

// cut cuts a line to the width of the screen.
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

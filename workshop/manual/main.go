// Command manual runs the commands in documents. It fails if a command fails, or if the output of a
// command differs from the output in the document.
//
//	go run ./workshop/manual README.md docs/BENCHMARKING.md
//	go run ./workshop/manual -first 2 README.md     # its first two commands
//	go run ./workshop/manual -from 3 README.md      # all others
//	go run ./workshop/manual -except 'go run ./cmd/coppice lab' README.md
//
// It reads fenced blocks that are marked console. It passes each line of the form "$ command" to
// sh, which runs it in the root of the repository. The following lines, up to the next such line,
// are the expected output. If there are none, any output is accepted. A line "..." stands for any
// number of lines, and "..." within a line stands for any text.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("manual", flag.ContinueOnError)
	flags.SetOutput(stderr)
	first := flags.Int("first", math.MaxInt, "run the first `COUNT` commands of all documents only")
	from := flags.Int("from", 1, "start with the command of this `NUMBER`, counted from 1 over all documents")
	except := flags.String("except", "", "leave out this `COMMAND`, because it takes long")
	limit := flags.Duration("limit", 30*time.Minute, "end a command that takes longer than this `TIME`")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	documents := flags.Args()
	if len(documents) == 0 {
		fmt.Fprintln(stderr, "manual: no document given; try: go run ./workshop/manual README.md")
		return 2
	}
	number, passed, failed := 0, 0, 0
	for _, name := range documents {
		data, err := os.ReadFile(name)
		if err != nil {
			fmt.Fprintln(stderr, "manual:", err)
			return 1
		}
		for _, s := range steps(name, string(data)) {
			if number++; number < *from || number > *first || s.command == *except {
				continue
			}
			fmt.Fprintf(stdout, "%s: $ %s\n", s.place, s.command)
			if err := s.run(*limit, stderr); err != nil {
				fmt.Fprintf(stderr, "%s: %v\n", s.place, err)
				failed++
				continue
			}
			passed++
		}
	}
	fmt.Fprintf(stdout, "%d passed, %d failed\n", passed, failed)
	if failed > 0 || passed == 0 {
		return 1
	}
	return 0
}

// A step is a command in a document, with its expected output.
type step struct {
	place   string   // position as file:line
	command string   // command line for sh
	output  []string // expected lines; if empty, any output is accepted
}

// steps returns the commands in the console blocks of a document.
func steps(name, document string) (all []step) {
	inBlock := false
	for i, line := range strings.Split(document, "\n") {
		command, isCommand := strings.CutPrefix(line, "$ ")
		switch {
		case strings.HasPrefix(line, "```"):
			inBlock = line == "```console"
		case inBlock && isCommand:
			all = append(all, step{place: fmt.Sprintf("%s:%d", name, i+1), command: command})
		case inBlock && len(all) > 0:
			all[len(all)-1].output = append(all[len(all)-1].output, line)
		}
	}
	return all
}

// run runs the command and compares its output with the output in the document.
func (s step) run(limit time.Duration, stderr io.Writer) error {
	// The timeout command also ends the children of the command, which would survive if only sh
	// were killed.
	cmd := exec.Command("timeout", "-k", "10", strconv.FormatFloat(limit.Seconds(), 'f', -1, 64), "sh", "-c", s.command)
	cmd.Stderr = stderr
	if len(s.output) == 0 {
		cmd.Stdout = stderr // shown, but not compared
		return explain(cmd.Run(), limit)
	}
	out, err := cmd.Output()
	if err != nil {
		return errors.Join(explain(err, limit), fmt.Errorf("it printed:\n%s", out))
	}
	if got := strings.TrimRight(string(out), "\n"); !pattern(s.output).MatchString(got) {
		return fmt.Errorf("it printed:\n%s\nand the document shows:\n%s", got, strings.Join(s.output, "\n"))
	}
	return nil
}

// explain returns an error that mentions the limit, if err means that a command was ended because
// it took too long. Otherwise, it returns err.
func explain(err error, limit time.Duration) error {
	const timedOut = 124 // exit code of the timeout command after a timeout
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == timedOut {
		return fmt.Errorf("it took more than %v, which is what -limit allows", limit)
	}
	return err
}

// pattern returns a regular expression that matches the expected output.
func pattern(lines []string) *regexp.Regexp {
	text := regexp.QuoteMeta(strings.TrimRight(strings.Join(lines, "\n"), "\n"))
	text = regexp.MustCompile(`(?m)^\\\.\\\.\\\.\n`).ReplaceAllString(text, `(?s:.*\n)?`)
	text = regexp.MustCompile(`(?m)^\\\.\\\.\\\.$`).ReplaceAllString(text, `(?s:.*)`)
	text = strings.ReplaceAll(text, `\.\.\.`, `.*`)
	return regexp.MustCompile(`\A` + text + `\z`)
}

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/klauspost/cpuid/v2"
)

// A record describes a complete run of the command.
type record struct {
	command  string // command line without the path of the program
	start    time.Time
	took     time.Duration
	packages []string
	results  []*result
}

// line summarizes a result for the terminal.
func (r *result) line() string {
	verdict := "ok"
	if len(r.failures) > 0 {
		verdict = fmt.Sprintf("FAILED %d times, see %s", len(r.failures), r.log)
	}
	did := []string{fmt.Sprintf("%8v", r.took.Round(100*time.Millisecond))}
	for _, count := range []struct {
		n    int64
		what string
	}{{int64(r.tests), "tests"}, {int64(r.skipped), "skipped"}, {r.programs, "programs"}, {r.inputs, "fuzz inputs"}, {r.soaked, "soak operations"}} {
		if count.n > 0 {
			did = append(did, humanize.Comma(count.n)+" "+count.what)
		}
	}
	return strings.Join(did, ", ") + ": " + verdict
}

// failures returns all failures, each with the name of its condition.
func (r *record) failures() (all []string) {
	for _, result := range r.results {
		for _, failure := range result.failures {
			all = append(all, result.condition.name+": "+failure)
		}
	}
	return all
}

// write writes the record to a Markdown file.
func (r *record) write(file string) error {
	var text strings.Builder
	fmt.Fprintf(&text, "# Torture\n\nWritten by `go run ./workshop/%s` on %s, in %v: %s, %s/%s, %d processors (%s).\n\n",
		r.command, r.start.UTC().Format("2006-01-02"), r.took.Round(time.Second), runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), cpuid.CPU.BrandName)
	fmt.Fprintf(&text, "Packages: %s.\n\n", strings.Join(r.packages, ", "))
	text.WriteString("A program is a random sequence of operations, about 30 steps of up to 300 each, compared with a model after every\n" +
		"step. A fuzz input is such a sequence too, drawn from bytes that the fuzzer picks. *Again* is the command that runs one condition.\n\n")
	text.WriteString("| condition | what | again | tests | skipped | programs | fuzz inputs | soak operations | time | failures |\n" +
		"| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, x := range r.results {
		fmt.Fprintf(&text, "| %s | %s | `go run ./workshop/torture -only %s` | %s | %s | %s | %s | %s | %v | %d |\n", x.condition.name, x.condition.what, x.condition.name,
			count(int64(x.tests)), count(int64(x.skipped)), count(x.programs), count(x.inputs), count(x.soaked), x.took.Round(time.Second), len(x.failures))
	}
	r.list(&text, "What failed", r.failures())
	var notes []string
	for _, x := range r.results {
		for _, note := range x.notes {
			notes = append(notes, x.condition.name+": "+note)
		}
	}
	r.list(&text, "What could not be done", notes)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text.String()), 0o666)
}

// list writes a section with the given lines. It writes nothing if there are none.
func (r *record) list(text *strings.Builder, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(text, "\n## %s\n\n", title)
	for _, line := range lines {
		fmt.Fprintf(text, "- %s\n", line)
	}
}

// count formats a number for a table. It returns "" for 0.
func count(n int64) string {
	if n == 0 {
		return ""
	}
	return humanize.Comma(n)
}

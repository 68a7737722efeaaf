package main

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// An event is a line of the output of `go test -json`, with only the fields that are needed here.
type event struct {
	Action  string
	Package string
	Test    string
	Output  string
}

// events parses the output of `go test -json` and adds the events to a result.
type events struct {
	result *result
	failed map[string]bool   // the packages with a failed test
	reason map[string]string // last line that each test logged, by package and test
}

// These patterns match lines in which programs report how much work they have done.
var (
	passed     = regexp.MustCompile(`\[rapid\] OK, passed (\d+) tests`)
	execs      = regexp.MustCompile(`execs: (\d+) \(`)
	operations = regexp.MustCompile(`^soak: (\d+) operations`)
	logged     = regexp.MustCompile(`^\s+\w+\.go:\d+: (.*)`)
)

// readCount sets n to the number in a line that matches the pattern. It leaves n unchanged if the
// line does not match.
func readCount(in *regexp.Regexp, line string, n *int64) {
	if m := in.FindStringSubmatch(line); m != nil {
		*n, _ = strconv.ParseInt(m[1], 10, 64) // the pattern matches only digits
	}
}

// line processes one line of output.
func (e *events) line(text string) {
	var v event
	if json.Unmarshal([]byte(text), &v) != nil {
		return // output of the compiler, or of a program that crashed
	}
	name := shortName(v.Package) + " " + v.Test
	r := e.result
	switch {
	case v.Action == "output":
		var programs int64
		readCount(passed, v.Output, &programs)
		r.programs += programs
		if m := logged.FindStringSubmatch(v.Output); m != nil {
			if e.reason == nil {
				e.reason = map[string]string{}
			}
			e.reason[name] = m[1]
		}
	case v.Action == "fail":
		e.fail(v, name)
	case v.Test == "":
	case v.Action == "pass":
		r.tests++
	case v.Action == "skip":
		r.skipped++
		if strings.HasPrefix(e.reason[name], "under ") { // package child logs this reason
			r.notes = append(r.notes, name+" skipped "+e.reason[name])
		}
	}
}

// fail records a failed test, or a package that failed although none of its tests did. It ignores a
// test if a failure of one of its subtests has just been recorded.
func (e *events) fail(v event, name string) {
	switch {
	case v.Test == "" && e.failed[v.Package]:
		return
	case v.Test == "":
		name = shortName(v.Package) + " failed outside its tests"
	case strings.HasPrefix(lastLine(e.result.failures), name+"/"):
		return
	}
	if e.failed == nil {
		e.failed = map[string]bool{}
	}
	e.failed[v.Package] = true
	e.result.failures = append(e.result.failures, name)
}

func lastLine(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return lines[len(lines)-1]
}

// shortName returns the last element of an import path.
func shortName(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// outputOf returns the readable text in a line of `go test -json`. It returns false if the line
// contains none.
func outputOf(line string) (string, bool) {
	var v event
	if json.Unmarshal([]byte(line), &v) != nil {
		return line, true
	}
	return v.Output, v.Output != ""
}

// A lineWriter is an io.Writer that calls line for each complete line.
type lineWriter struct {
	line func(string)
	rest []byte
}

func (w *lineWriter) Write(p []byte) (int, error) {
	w.rest = append(w.rest, p...)
	for {
		i := bytes.IndexByte(w.rest, '\n')
		if i < 0 {
			return len(p), nil
		}
		w.line(string(w.rest[:i+1]))
		w.rest = w.rest[i+1:]
	}
}

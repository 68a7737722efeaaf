package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestManual(t *testing.T) {
	for _, c := range []struct {
		name, document string
		code           int
		says           string
	}{
		{"right output", "```console\n$ echo hello\nhello\n```", 0, "1 passed, 0 failed"},
		{"wrong output", "```console\n$ echo hello\nhullo\n```", 1, "0 passed, 1 failed"},
		{"more output than shown", "```console\n$ printf 'a\\nb\\n'\na\n```", 1, "0 passed, 1 failed"},
		{"any output", "```console\n$ echo hello\n```", 0, "1 passed"},
		{"elided lines", "```console\n$ printf 'a\\nb\\nc\\nd\\n'\na\n...\nd\n```", 0, "1 passed"},
		{"nothing to elide", "```console\n$ printf 'a\\nb\\n'\n...\na\n...\nb\n```", 0, "1 passed"},
		{"elided text", "```console\n$ echo took 12 s\ntook ... s\n```", 0, "1 passed"},
		{"text that is no pattern", "```console\n$ echo axb\na.b\n```", 1, "1 failed"},
		{"failing command", "```console\n$ exit 3\n```", 1, "1 failed"},
		{"failing command with output", "```console\n$ echo a; exit 3\na\n```", 1, "1 failed"},
		{"later commands still run", "```console\n$ exit 3\n$ echo ok\nok\n```", 1, "1 passed, 1 failed"},
		{"other blocks", "```sh\n$ exit 3\n```\n$ exit 4\n", 1, "0 passed, 0 failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "doc.md")
			if err := os.WriteFile(file, []byte(c.document), 0o666); err != nil {
				t.Fatal(err)
			}
			var stdout, stderr strings.Builder
			if code := run([]string{file}, &stdout, &stderr); code != c.code || !strings.Contains(stdout.String(), c.says) {
				t.Errorf("exit code %d, want %d; printed %q, want %q; %s", code, c.code, &stdout, c.says, &stderr)
			}
		})
	}
}

// TestParts verifies that the commands of all documents are numbered consecutively, and that a part
// of them can be selected.
func TestParts(t *testing.T) {
	file := filepath.Join(t.TempDir(), "doc.md")
	if err := os.WriteFile(file, []byte("```console\n$ echo 1\n$ echo 2\n$ echo 3\n```"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		flags string
		want  string // the numbers that the commands print
	}{
		{"-first 2", "1 2"},
		{"-from 3", "3 1 2 3"},
		{"-first 4 -from 3", "3 1"},
		{"-from 7", ""},
		{"-except echo\u00a02", "1 3 1 3"},
	} {
		var stdout, stderr strings.Builder
		code := run(append(splitCommand(c.flags), file, file), &stdout, &stderr)
		var ran []string
		for line := range strings.Lines(stdout.String()) {
			if _, command, ok := strings.Cut(line, "$ echo "); ok {
				ran = append(ran, strings.TrimSpace(command))
			}
		}
		if got := strings.Join(ran, " "); got != c.want || (code == 0) != (c.want != "") {
			t.Errorf("%s: exit code %d, ran %q, want %q", c.flags, code, got, c.want)
		}
	}
}

// TestLimit verifies that a command that exceeds the limit is killed together with its children,
// and that the error says so. If the children remained, the test would wait for a day.
func TestLimit(t *testing.T) {
	file := filepath.Join(t.TempDir(), "doc.md")
	if err := os.WriteFile(file, []byte("```console\n$ sleep 86400 | sleep 86400\nx\n```"), 0o666); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr strings.Builder
	code := run([]string{"-limit", "100ms", file}, &stdout, &stderr)
	if code != 1 || !strings.Contains(stderr.String(), "it took more than 100ms, which is what -limit allows") {
		t.Errorf("exit code %d, %s", code, &stderr)
	}
}

func TestBadArguments(t *testing.T) {
	var stdout, stderr strings.Builder
	if code := run(nil, &stdout, &stderr); code != 2 {
		t.Errorf("no document: exit code %d", code)
	}
	if code := run([]string{"no/such.md"}, &stdout, &stderr); code != 1 {
		t.Errorf("missing document: exit code %d", code)
	}
}

// splitCommand splits a command line at its spaces and then replaces no-break spaces by spaces.
func splitCommand(line string) (all []string) {
	for word := range strings.SplitSeq(line, " ") {
		all = append(all, strings.ReplaceAll(word, "\u00a0", " "))
	}
	return all
}

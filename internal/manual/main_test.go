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

func TestBadArguments(t *testing.T) {
	var stdout, stderr strings.Builder
	if code := run(nil, &stdout, &stderr); code != 2 {
		t.Errorf("no document: exit code %d", code)
	}
	if code := run([]string{"no/such.md"}, &stdout, &stderr); code != 1 {
		t.Errorf("missing document: exit code %d", code)
	}
}

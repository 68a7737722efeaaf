package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// getenv matches where a program reads a variable by its name.
var getenv = regexp.MustCompile(`\b(?:Getenv|LookupEnv)\("(\w+)"\)`)

// notOfUsers are the variables of our tests, and of code that coppice writes into copies of trees.
var notOfUsers = []string{"COPPICE_SCREENSHOTS", "COPPICE_WITNESS"}

// The topic environment has all variables that the commands read.
func TestTopicEnvironment(t *testing.T) {
	text, found := topicNamed("environment").text(), 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "testdata":
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		source, err := os.ReadFile(path)
		for _, m := range getenv.FindAllSubmatch(source, -1) {
			name := string(m[1])
			if found++; !slices.Contains(notOfUsers, name) && !regexp.MustCompile(`\b`+name+`\b`).MatchString(text) {
				t.Errorf("%s reads %s, which coppice help environment does not have", path, name)
			}
		}
		return err
	})
	if err != nil || found < 6 {
		t.Errorf("only %d variables were found (%v); are they read otherwise now?", found, err)
	}
}

// The topic exit-codes has the line of each command that has one of its own.
func TestTopicExitCodes(t *testing.T) {
	text := topicNamed("exit-codes").text()
	for _, want := range []string{
		"\n  coppice prove       0 keep or undecided; 1 revert, or with -gate not keep; 2 usage error, or nothing could be measured\n",
		"\n  all others          0 success; 1 failure; 2 usage error\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it has no line %q:\n%s", want, text)
		}
	}
}

// Flags and file names of topics are those that commands have.
func TestTopicsNameWhatThereIs(t *testing.T) {
	known := map[string]bool{}
	eachCommand(table(), "", func(_ string, c command) {
		for _, f := range flagsOf(c) {
			known[f.name] = true
		}
	})
	for _, topic := range topics() {
		text := topic.text()
		if !strings.HasSuffix(text, "\n") || topicNamed(topic.name) == nil || named(table(), topic.name) != nil {
			t.Errorf("topic %s ends in %q, or is a command as well", topic.name, text[max(0, len(text)-20):])
		}
		for line := range strings.Lines(text) {
			if len([]rune(line)) > 121 {
				t.Errorf("topic %s has a line of %d columns: %s", topic.name, len([]rune(line)), line)
			}
		}
		for _, m := range regexp.MustCompile(`(?:^|[\s(])-([a-z][a-z-]+)\b`).FindAllStringSubmatch(text, -1) {
			if !known[m[1]] && !slices.Contains([]string{"race", "cover"}, m[1]) {
				t.Errorf("topic %s has -%s, which no command has", topic.name, m[1])
			}
		}
	}
}

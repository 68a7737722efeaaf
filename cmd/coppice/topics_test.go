package main

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/site"
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
func TestTopicsNameExistingFlagsAndFiles(t *testing.T) {
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

// coppice help remedy has the page of each remedy, as docs/remedies has it, and find names it so.
func TestRemedyPages(t *testing.T) {
	const folder = "../../docs/remedies"
	list := topicNamed("remedy").text()
	for _, name := range remedyNames() {
		page, err := os.ReadFile(filepath.Join(folder, name+".md"))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(list, "\n  "+name+" ") {
			t.Errorf("the list does not have %s", name)
		}
		words := strings.Fields(remedy.Help(site.Remedy(name)))
		var out strings.Builder
		if err := dispatch(t.Context(), words[1:], &out, io.Discard); err != nil {
			t.Error(err)
		}
		if got := out.String(); !strings.HasPrefix(got, string(page)) || !strings.HasSuffix(got, "/docs/remedies/"+name+".md\n") {
			t.Errorf("%s does not print %s/%[3]s.md; copy it to topics/remedies/%[3]s.txt", strings.Join(words, " "), folder, name)
		}
	}
	copies, err := filepath.Glob("topics/remedies/*")
	if err != nil || len(copies) != len(remedyNames()) {
		t.Errorf("there are %d copies of %d pages (%v)", len(copies), len(remedyNames()), err)
	}
	if got := candidates([]string{"help", "remedy"}, ""); !slices.Equal(got, remedyNames()) {
		t.Errorf("the completion has %q", got)
	}
}

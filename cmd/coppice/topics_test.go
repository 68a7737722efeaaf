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

// getenv matches the calls with which a program reads a variable, if the name is a literal.
var getenv = regexp.MustCompile(`\b(?:Getenv|LookupEnv)\("(\w+)"\)`)

// notOfUsers lists variables that the user need not know: those for our tests, and those read by
// code that coppice adds to copies of source trees.
var notOfUsers = []string{"COPPICE_SCREENSHOTS", "COPPICE_WITNESS"}

// TestTopicEnvironment verifies that coppice help environment mentions every variable that the
// commands read.
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

// TestTopicExitCodes verifies that the topic lists the commands whose exit codes have a special
// meaning.
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

// TestTopicsNameExistingFlagsAndFiles verifies that the topics mention only existing flags, that
// their lines fit on a screen, and that their names differ from the names of commands.
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

// TestRemedyPages verifies that coppice help remedy NAME prints the page from docs/remedies, and
// that the commands that coppice find suggests, the list of remedies and the completion use the
// same names.
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

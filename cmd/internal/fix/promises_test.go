package fix

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/prose"
)

const docs = "../../../docs"

var (
	strong  = regexp.MustCompile(`(?i)\b(cannot|never|must|is overwritten|ends the matter|is refused)\b`)
	sentEnd = regexp.MustCompile(`[.:;]\s+|[.:;]$|\s\|\s`)
)

// sentences returns the sentences of a documentation page, without its code blocks.
func sentences(t *testing.T, page string) (all []string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(docs, page))
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for i, part := range strings.Split(text, "```") {
		if i%2 == 1 {
			continue
		}
		for _, block := range strings.Split(part, "\n\n") {
			all = append(all, sentEnd.Split(prose.Unwrap(block), -1)...)
		}
	}
	return all
}

// TestPromisesHaveTests verifies that each strong promise in FIX.md and PROVE.md, such as a
// sentence with cannot or never, has a test. testdata/promises.txt contains two lines for each such
// sentence: the sentence itself, and FILE TEST. FILE is relative to the root of the repository, and
// contains TEST, the name of the test or of a case. If the sentence promises nothing, the second
// line is "no promise: " and the reason.
func TestPromisesHaveTests(t *testing.T) {
	data, err := os.ReadFile("testdata/promises.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	tied := map[string]string{}
	for i := 0; i+1 < len(lines); i += 2 {
		tied[lines[i]] = strings.TrimSpace(lines[i+1])
	}
	var found []string
	for _, page := range []string{"FIX.md", "PROVE.md"} {
		for _, s := range sentences(t, page) {
			if !strong.MatchString(s) {
				continue
			}
			found = append(found, s)
			if tied[s] == "" {
				t.Errorf("%s: no test is named for this sentence:\n%s", page, s)
			}
		}
	}
	for s, where := range tied {
		if !slices.Contains(found, s) {
			t.Errorf("testdata/promises.txt has a sentence that no page has:\n%s", s)
		}
		if strings.HasPrefix(where, "no promise: ") {
			continue
		}
		file, test, ok := strings.Cut(where, " ")
		source, err := os.ReadFile(filepath.Join("../../..", filepath.FromSlash(file)))
		if !ok || err != nil || !strings.Contains(string(source), test) {
			t.Errorf("%s: %s is not there (%v)", file, test, err)
		}
	}
}

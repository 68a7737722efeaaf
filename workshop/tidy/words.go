package tidy

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// plain are the documents whose prose has none of the phrases below. The list may only grow.
var plain = []string{
	"README.md", "docs/ARENA.md", "docs/BENCHMARKING.md", "docs/CLAIMS.md", "docs/COMMANDS.md", "docs/CORPORA.md", "docs/DETAILS.md", "docs/FIND.md", "docs/FIX.md",
	"docs/FLAT.md", "docs/FLEET.md", "docs/LAB.md", "docs/MUTANTS.md", "docs/PROVE.md", "docs/README.md", "docs/RELIABILITY.md", "docs/SCALE.md", "docs/TRAPS.md", "docs/VET.md",
	"docs/benchmarking/binary-trees.md", "docs/benchmarking/caches.md", "docs/benchmarking/flat.md", "docs/benchmarking/inline.md",
	"docs/benchmarking/maps.md", "docs/benchmarking/programs.md", "docs/benchmarking/records.md", "docs/benchmarking/requests.md",
	"docs/remedies/README.md", "docs/remedies/arena.md", "docs/remedies/avoid-copy.md", "docs/remedies/concrete.md", "docs/remedies/first-room.md",
	"docs/remedies/intern.md", "docs/remedies/leave.md", "docs/remedies/presize.md", "docs/remedies/reuse.md", "docs/remedies/slab.md",
}

// A phrase makes a reader stop. The field instead says what to write in its place.
type phrase struct {
	pattern *regexp.Regexp
	except  *regexp.Regexp // matches of these are good English; nil for none
	instead string
}

var phrases = []phrase{
	{regexp.MustCompile(`(?i)\b(nobody|somebody|anybody|strangers?)\b`), nil, `say what it is: the caller, another goroutine, code that ...`},
	{regexp.MustCompile(`(?i)\b(is|are|was|were) (that|those) of\b`), nil, `say what it is`},
	{
		regexp.MustCompile(`(?i)(\bthere )?\b(is|are) no \w+`), regexp.MustCompile(`(?i)^there |\bno (longer|more|fewer|less|better|worse|faster|slower|different)$`),
		`write "is not a ..."`,
	},
}

// oddPhrases keeps these phrases out of the prose of documents that are free of them. Code is not
// prose. A phrase may continue on the next line.
func oddPhrases(t *Tree) (all []Complaint) {
	for doc := range t.documents() {
		if !slices.Contains(plain, doc.Path) {
			continue
		}
		line, code := 1, false
		for paragraph := range strings.SplitSeq(string(doc.Data), "\n\n") {
			first := line
			line += strings.Count(paragraph, "\n") + 2
			var text strings.Builder
			for l := range strings.Lines(paragraph) {
				switch {
				case strings.HasPrefix(strings.TrimSpace(l), "```"):
					code = !code
				case !code:
					text.WriteString(l)
				}
			}
			for _, found := range oddIn(text.String()) {
				all = append(all, Complaint{doc.Path, first, found})
			}
		}
	}
	return all
}

// oddIn returns what is wrong with a paragraph.
func oddIn(paragraph string) (all []string) {
	prose := strings.Join(strings.Fields(invisible.ReplaceAllString(paragraph, "")), " ")
	for _, p := range phrases {
		for _, found := range p.pattern.FindAllString(prose, -1) {
			if p.except == nil || !p.except.MatchString(found) {
				all = append(all, fmt.Sprintf("%q in this paragraph makes a reader stop; %s", found, p.instead))
			}
		}
	}
	return all
}

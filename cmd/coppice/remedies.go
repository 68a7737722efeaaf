package main

import (
	"embed"
	"fmt"
	"strings"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
	"github.com/coppice-go/coppice/cmd/internal/nearest"
	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/remedy/remedies"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// remedyPages contains copies of the pages in docs/remedies. A module can embed only its own files,
// and docs/remedies belongs to a different module. A test compares the copies with the originals.
//
//go:embed topics/remedies/*.txt
var remedyPages embed.FS

// remedyPage returns the text of the page about the remedy, and the URL of the page.
func remedyPage(name string) (string, error) {
	text, err := remedyPages.ReadFile("topics/remedies/" + name + ".txt")
	if err != nil {
		return "", cli.Usagef("unknown remedy %q; %scoppice help remedy lists them", name, nearest.Hint(name, remedyNames()))
	}
	return string(text) + "\n" + remedy.Page(site.Remedy(name)) + "\n", nil
}

// remedyNames returns the names of all remedies.
func remedyNames() (all []string) {
	for _, r := range remedies.All() {
		all = append(all, string(r.Name))
	}
	return all
}

// remedyList returns the help text that lists the remedies with their titles.
func remedyList() string {
	var out strings.Builder
	fmt.Fprintf(&out, "The remedies that coppice find proposes. coppice help remedy NAME prints the page of one: when to use\n"+
		"it, when not, the code before and after, its price, and how to undo and prove it.\n\n")
	for _, r := range remedies.All() {
		title := r.Title
		if title == "" {
			title = "The site stays as it is"
		}
		fmt.Fprintf(&out, "  %-12s  %s\n", r.Name, title)
	}
	return out.String()
}

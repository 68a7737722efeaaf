// Package document parses rule.toml files, which document the rules of coppice vet. `coppice vet
// help RULE` shows this documentation to users, and editors get it from the rule's analyzer.
package document

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// A Document contains the documentation of a rule.
type Document struct {
	Name   string   `toml:"name"`   // of the rule, its folder and its analyzer
	Title  string   `toml:"title"`  // the mistake, in one line
	Why    string   `toml:"why"`    // the consequences of the mistake
	Before string   `toml:"before"` // Go code that the rule reports
	After  string   `toml:"after"`  // the same without the mistake
	Except []string `toml:"except"` // when not to follow the rule, and what it does not detect
	Counts []Count  `toml:"count"`  // its findings in several bodies of code
}

// A Count is the number of reports of the rule for one module. The counts are updated by `make
// vetcount`.
type Count struct {
	Code     string `toml:"code"`     // module and version
	Findings int    `toml:"findings"` // reports
	Read     int    `toml:"read"`     // reports that a person has read
	False    int    `toml:"false"`    // read reports that are wrong or not worth following
	Note     string `toml:"note"`     // how they were judged
}

// MustParse parses an embedded rule.toml file. It panics if the document is malformed or
// incomplete.
func MustParse(data []byte) Document {
	var d Document
	decoder := toml.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&d); err != nil {
		panic(fmt.Sprintf("document.MustParse: %v", err))
	}
	for field, text := range map[string]string{"name": d.Name, "title": d.Title, "why": d.Why, "before": d.Before, "after": d.After} {
		if strings.TrimSpace(text) == "" {
			panic(fmt.Sprintf("document.MustParse: rule %q has no %s", d.Name, field))
		}
	}
	return d
}

// Doc returns the documentation as the text that drivers show for an analyzer. Its first line is
// the title.
func (d Document) Doc() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s\n\n%s\n", d.Title, strings.TrimSpace(d.Why))
	fmt.Fprintf(&out, "\nBefore:\n\n%s\n\nAfter:\n\n%s\n", indented(d.Before), indented(d.After))
	fmt.Fprintf(&out, "\nWhen not to follow it, and what it does not detect:\n\n")
	for _, e := range d.Except {
		fmt.Fprintf(&out, "  - %s\n", e)
	}
	if len(d.Counts) > 0 {
		fmt.Fprintf(&out, "\nWhat it found elsewhere:\n\n")
	}
	for _, c := range d.Counts {
		fmt.Fprintf(&out, "  - %s: %d reports, %d read, %d of them false. %s\n", c.Code, c.Findings, c.Read, c.False, c.Note)
	}
	return strings.TrimRight(out.String(), "\n")
}

func indented(code string) string {
	lines := strings.Split(strings.Trim(code, "\n"), "\n")
	for i, line := range lines {
		if line != "" {
			lines[i] = "\t" + line
		}
	}
	return strings.Join(lines, "\n")
}

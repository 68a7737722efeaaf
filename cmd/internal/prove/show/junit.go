package show

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/metric"
	"github.com/coppice-go/coppice/cmd/internal/prove"
)

// These types are the elements of JUnit XML. They are defined by junit-10.xsd of Jenkins' xUnit
// plugin, and are understood by GitLab and others.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string          `xml:"name,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Skipped    int             `xml:"skipped,attr"`
		Timestamp  string          `xml:"timestamp,attr,omitempty"`
		Properties []junitProperty `xml:"properties>property,omitempty"`
		Cases      []junitCase     `xml:"testcase"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Name      string      `xml:"name,attr"`
		Classname string      `xml:"classname,attr"`
		Skipped   *junitNote  `xml:"skipped,omitempty"`
		Failure   *junitNote  `xml:"failure,omitempty"`
		Output    *junitPlain `xml:"system-out,omitempty"`
	}
	junitNote struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	junitPlain struct {
		Text string `xml:",chardata"`
	}
)

// JUnit writes results as JUnit XML. Each comparison is a suite, with a case for each benchmark,
// one for equality and, if gate is true, one for the gate. Proven losses and unequal programs are
// failures, and undecided cases are skipped. The case for the gate fails unless the verdict is
// Keep.
func JUnit(w io.Writer, gate bool, results ...*prove.Result) error {
	all := junitSuites{Name: "coppice prove", Suites: []junitSuite{}}
	for _, r := range results {
		for _, c := range r.Comparisons {
			s := junitSuiteOf(r, c, gate)
			all.Tests, all.Failures = all.Tests+s.Tests, all.Failures+s.Failures
			all.Suites = append(all.Suites, s)
		}
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "\t")
	if err := encoder.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func junitSuiteOf(r *prove.Result, c prove.Comparison, gate bool) junitSuite {
	s := junitSuite{Name: c.Head.Name + " against " + r.Base.Name}
	if !r.Started.IsZero() {
		s.Timestamp = r.Started.UTC().Format("2006-01-02T15:04:05")
	}
	for _, key := range []string{"go", "goos", "goarch", "cpu", "cores"} {
		if v := r.Environment[key]; v != "" {
			s.Properties = append(s.Properties, junitProperty{key, v})
		}
	}
	s.Cases = append(s.Cases, equalityCase(c))
	for _, subject := range c.Subjects {
		s.Cases = append(s.Cases, subjectCase(subject))
	}
	if gate {
		s.Cases = append(s.Cases, gateCase(c))
	}
	s.Tests = len(s.Cases)
	for _, k := range s.Cases {
		if k.Failure != nil {
			s.Failures++
		}
		if k.Skipped != nil {
			s.Skipped++
		}
	}
	return s
}

// ownClass is the class of cases that do not belong to a package.
const ownClass = "coppice.prove"

func equalityCase(c prove.Comparison) junitCase {
	k := junitCase{Name: "equality", Classname: ownClass}
	switch e := c.Equality; {
	case len(e.Unequal) > 0:
		k.Failure = &junitNote{"unequal", "the programs are not equal", strings.Join(e.Unequal, "\n")}
	case c.Verdict == prove.Identical:
		k.Output = plain("both have the same sources; nothing was measured")
	case e.Level == prove.Unproven:
		k.Skipped = &junitNote{"undecided", "the programs are not shown to be equal", strings.Join(e.Left, "\n")}
	default:
		k.Output = plain(fmt.Sprintf("equal by %s\n%s", e.Level, strings.Join(slices.Concat(e.Done, e.Left), "\n")))
	}
	return k
}

func subjectCase(s prove.Subject) junitCase {
	k := junitCase{Name: s.Name, Classname: s.Package}
	if k.Classname == "" {
		k.Classname = ownClass
	}
	because, lines := strings.Join(s.Reasons, ", "), figures(s)
	switch s.Verdict {
	case prove.Revert:
		k.Failure = &junitNote{string(s.Verdict), because, lines}
	case prove.Undecided:
		k.Skipped = &junitNote{string(s.Verdict), because, lines}
	default:
		k.Output = plain(strings.ToUpper(string(s.Verdict)) + ": " + because + "\n" + lines)
	}
	return k
}

// gateCase returns the case for -gate, which requires a gain.
func gateCase(c prove.Comparison) junitCase {
	k := junitCase{Name: "gate", Classname: ownClass}
	because := strings.Join(c.Reasons, "; ")
	if c.Verdict == prove.Keep {
		k.Output = plain(because)
	} else {
		k.Failure = &junitNote{string(c.Verdict), because, "-gate requires a proven gain and no proven loss"}
	}
	return k
}

// figures describes the metrics of a benchmark, one on each line.
func figures(s prove.Subject) string {
	out := &strings.Builder{}
	for _, m := range s.Metrics {
		fmt.Fprintf(out, "%s: %s, was %s; %s; %s\n", metric.Named(m.Name).Op, amount(m, m.After), amount(m, m.Before), difference(m), evidence(m, s.Rounds))
	}
	return out.String()
}

func plain(text string) *junitPlain { return &junitPlain{text} }

package show_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coppice-go/coppice/cmd/internal/prove"
	"github.com/coppice-go/coppice/cmd/internal/prove/show"
)

// junitSchema is the part of the Jenkins xUnit plugin's junit-10.xsd that the output uses. It lists
// the attributes of each element, the required ones marked with !, and the child elements.
var junitSchema = map[string]struct {
	attributes, elements string
}{
	"testsuites": {"name time tests failures errors", "testsuite"},
	"testsuite": {"name! tests! failures! errors! group time skipped timestamp hostname id package file log url",
		"testsuite properties testcase system-out system-err"},
	"properties": {"", "property"},
	"property":   {"name! value!", ""},
	"testcase": {"name! time classname group",
		"skipped error failure rerunFailure rerunError flakyFailure flakyError system-out system-err"},
	"skipped":    {"message type", ""},
	"failure":    {"message type", ""},
	"system-out": {"", ""},
}

// validJUnit checks a document against junitSchema, and the counts of each suite against its cases.
func validJUnit(text []byte) error {
	decoder := xml.NewDecoder(bytes.NewReader(text))
	var path []string
	cases, failures, skipped := map[int]int{}, map[int]int{}, map[int]int{} // by index of the suite
	counts := map[int]map[string]string{}
	suite := -1
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		switch e := token.(type) {
		case xml.EndElement:
			path = path[:len(path)-1]
		case xml.StartElement:
			name := e.Name.Local
			rule, known := junitSchema[name]
			if len(path) > 0 {
				known = known && slices.Contains(strings.Fields(junitSchema[path[len(path)-1]].elements), name)
			} else {
				known = name == "testsuites"
			}
			if !known {
				return fmt.Errorf("<%s> in %v", name, path)
			}
			given := map[string]string{}
			for _, a := range e.Attr {
				given[a.Name.Local] = a.Value
			}
			for _, want := range strings.Fields(rule.attributes) {
				if plain, required := strings.CutSuffix(want, "!"); required && given[plain] == "" {
					return fmt.Errorf("<%s> has no %s", name, plain)
				}
			}
			for have := range given {
				if !slices.Contains(strings.Fields(strings.ReplaceAll(rule.attributes, "!", "")), have) {
					return fmt.Errorf("<%s> has an attribute %s", name, have)
				}
			}
			switch name {
			case "testsuite":
				suite++
				counts[suite] = given
				if at := given["timestamp"]; at != "" {
					if _, err := time.Parse("2006-01-02T15:04:05", at); err != nil {
						return err
					}
				}
			case "testcase":
				cases[suite]++
			case "failure":
				failures[suite]++
			case "skipped":
				skipped[suite]++
			}
			path = append(path, name)
		}
	}
	for i := range suite + 1 {
		for name, want := range map[string]int{"tests": cases[i], "failures": failures[i], "skipped": skipped[i], "errors": 0} {
			if counts[i][name] != strconv.Itoa(want) {
				return fmt.Errorf("suite %d: %s %s, want %d", i, name, counts[i][name], want)
			}
		}
	}
	return nil
}

// TestJUnit verifies that each benchmark is a test case. A proven loss is a failure, an undecided
// benchmark is skipped, and unequal programs are a failure. With a gate, every verdict except Keep
// is a failure.
func TestJUnit(t *testing.T) {
	r := proof()
	r.Started = time.Unix(0, 0)
	r.Environment = map[string]string{"go": "go1.26.0", "cpu": "A <CPU>"}
	r.Comparisons[1].Equality.Unequal[0] += "\x00\x1b \"&<]]>"
	for gate, failures := range map[bool]int{false: 2, true: 6} {
		var out bytes.Buffer
		if err := show.JUnit(&out, gate, r); err != nil {
			t.Fatal(err)
		}
		if err := validJUnit(out.Bytes()); err != nil {
			t.Fatalf("%v\n%s", err, &out)
		}
		if n := strings.Count(out.String(), "<failure "); n != failures {
			t.Errorf("gate %v: %d failures, want %d\n%s", gate, n, failures, &out)
		}
		for _, want := range []string{
			`<testcase name="BenchmarkKeep" classname="example.org/m">`,
			`<failure type="revert" message="B/op 16, was 0">`,
			`<skipped type="undecided" message="more rounds tell">`,
			`<failure type="unequal" message="the programs are not equal">`,
			`<property name="cpu" value="A &lt;CPU&gt;"></property>`,
		} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("gate %v: no %s in\n%s", gate, want, &out)
			}
		}
	}
	var out bytes.Buffer
	if err := show.JUnit(&out, false, &prove.Result{}); err != nil || validJUnit(out.Bytes()) != nil {
		t.Errorf("%v\n%s", err, &out)
	}
}

// TestJUnitSchemaIsStrict verifies that validJUnit rejects invalid documents.
func TestJUnitSchemaIsStrict(t *testing.T) {
	for _, bad := range []string{
		`<testsuite name="x" tests="0" failures="0" skipped="0" errors="0"></testsuite>`,
		`<testsuites><testcase name="x"></testcase></testsuites>`,
		`<testsuites><testsuite tests="0" failures="0" skipped="0" errors="0"></testsuite></testsuites>`,
		`<testsuites><testsuite name="x" tests="1" failures="0" skipped="0" errors="0"></testsuite></testsuites>`,
		`<testsuites><testsuite name="x" tests="0" failures="0" skipped="0" errors="0" colour="red"></testsuite></testsuites>`,
		`<testsuites><testsuite`,
	} {
		if validJUnit([]byte(bad)) == nil {
			t.Errorf("taken for valid: %s", bad)
		}
	}
}

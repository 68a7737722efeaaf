package quote

import (
	"errors"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/lab/compare"
	"github.com/coppice-go/coppice/cmd/internal/stats"
)

// fakeResults is a source of fake results: in x at depth 5, and of c in y at depth 6. The results
// of c in x were measured on a busy machine.
type fakeResults struct{}

func (fakeResults) Row(p Place, contender string) (compare.Row, bool, bool) {
	if p == (Place{"docs/results/y", 6, 0}) && contender == "c" {
		return compare.Row{Metrics: map[string]stats.Summary{"cpu": {Median: 2}}}, false, true
	}
	if p != (Place{"docs/results/x", 5, 2}) {
		return compare.Row{}, false, false
	}
	row := func(seconds, ratio, lo, hi float64) compare.Row {
		return compare.Row{Metrics: map[string]stats.Summary{"cpu": {Median: seconds}, "rss": {Median: 3.5 * (1 << 20)}},
			ToBaseline: compare.Ratio{N: 8, Estimate: ratio, Lo: lo, Hi: hi}}
	}
	switch contender {
	case "a b, c":
		return row(0.0012345, 0.54, 0.5, 0.6), false, true
	case "c":
		return row(3983, 1.02, 0.9, 1.1), true, true
	}
	return compare.Row{}, false, false
}

// Ratio returns the ratio of paired rounds, which differs from the ratio of the medians.
func (fakeResults) Ratio(_ Place, of, over compare.Row, metric string) compare.Ratio {
	if of.Metrics == nil || over.Metrics == nil || metric != "cpu" {
		return compare.Ratio{}
	}
	if of.ToBaseline.Estimate > over.ToBaseline.Estimate {
		return compare.Ratio{N: 8, Estimate: 7.25, Lo: 7, Hi: 7.5}
	}
	return compare.Ratio{N: 8, Estimate: 0.9, Lo: 0.8, Hi: 1.1}
}

// Claims returns the number of claims: C2 has 12 rows, 5 of them not proven.
func (fakeResults) Claims(p Place, of, outcome string) (int, bool) {
	if p.Folder != AllResults || of != "C2" && of != All {
		return 0, false
	}
	n, ok := map[string]int{"": 12, "not proven": 5, "not run": 0}[outcome]
	return n, ok
}

const head = "<!-- from docs/results/x at depth 5, workers 2\n"

func TestFigures(t *testing.T) {
	for _, test := range []struct{ text, figures, want string }{
		{"It takes 1.23 ms.", "1.23 = [cpu of a b, c] / ms", ""},
		{"It takes 1.24 ms.", "1.24 = [cpu of a b, c] / ms", "line 5: 1.24 = [cpu of a b, c] / ms, but the results now give 1.23"},
		{"It takes 1,235 ns, or 1.2 µs.", "1.2 = [cpu of a b, c] / us / 1000", ""},
		{"It takes 1,234,501 ns.", "1,234,501 = [cpu of a b, c] / ns", "line 5: 1,234,501 = [cpu of a b, c] / ns, but the results now give 1,234,500"},
		{"It takes 1,234,500 ns.", "1,234,500 = [cpu of a b, c] / ns", ""},
		{"It takes 11,234,500 ns.", "1,234,500 = [cpu of a b, c] / ns", "does not contain 1,234,500"},
		{"It takes 1.2 of 46 % less.", "46 = 100 * (1 - [x of a b, c])", ""},
		{"−46 % and 3.5 MiB", "46 = 100 * (1 - [x of a b, c])\n3.5 = [rss of a b, c] / MiB", ""},
		{"3.5 MiB and −46 %", "46 = 100 * (1 - [x of a b, c])\n3.5 = [rss of a b, c] / MiB", "line 6: the text before line 4 does not contain 3.5 after the preceding figures"},
		{"146 % or 46.5 %, 1,46", "46 = 100 * (1 - [x of a b, c])", "does not contain 46 "},
		{"on a busy machine 3,983 s", "3,983 = [cpu of c]", ""},
		{"on a busy machine 3,980 s", "3,980 = [cpu of c]", "but the results now give 3,983"}, // trailing zeros do not say how the figure was rounded
		{"on a busy machine 3,980 s", "3,980 = [cpu of c], to 10", ""},
		{"on a busy machine 4,000 s", "4,000 = [cpu of c], to 100", ""},
		{"on a busy machine 4,000 s", "4,000 = [cpu of c], to 10", "4,000 = [cpu of c], but the results now give 3,980"},
		{"on a busy machine 3,990 s", "3,990 = [cpu of c], to 10", "but the results now give 3,980"},
		{"It takes 30 %", "30 = 25", "30 = 25, but the results now give 25"},
		{"It takes 100 %", "100 = 95", "100 = 95, but the results now give 95"},
		{"It takes 25, 26 or 27", "25 = 25.5\n26 = 25.5\n27 = 25.5", "line 7: 27 = 25.5, but the results now give 26"}, // a rounding error of half a unit is accepted
		{"It takes 1.2 or 1.3", "1.2 = 1.25\n1.3 = 1.25", ""},
		{"It takes 0", "0 = 0.4", ""},
		{"It takes +5", "+5 = 5", ""},
		{"It takes it", "it = 5", "line 5: it is neither a number nor \"no difference\""},
		{"3,983 s", "3,983 = [cpu of c]", "line 4: some of these figures were measured on a busy machine, and the text before this comment does not say so"},
		{"busy: no difference", "no difference = [x of c]", ""},
		{"busy: no\n  difference", "no difference = [x of c]", ""}, // a line break does not matter
		{"busy: 1.02", "1.02 = [x of c]", "1.02 = [x of c], but the results now give no difference"},
		{"no difference", "no difference = [x of a b, c]", "no difference = [x of a b, c], but the results now give 0.54"},
		{"busy: 7.2 times", "7.2 = [cpu of c over a b, c]", ""},
		{"7.2 times", "7.2 = [cpu of c over a b, c]", "measured on a busy machine"},
		{"busy: 7 times", "7.0 = [cpu of c over a b, c]", "7.0 = [cpu of c over a b, c], but the results now give 7.2"},
		{"busy: no difference", "no difference = [cpu of a b, c over c]", ""},
		{"busy: 0.9", "0.9 = [cpu of a b, c over c]", "0.9 = [cpu of a b, c over c], but the results now give no difference"},
		{"It takes 1", "1 = [cpu of d over c]", "docs/results/x has no cpu of d over c at depth 5, workers 2"},
		{"It takes 1", "1 = [cpu of c over d]", "docs/results/x has no cpu of c over d"},
		{"It takes 1", "1 = [rss of c over a b, c]", "docs/results/x has no rss of c over a b, c"},
		{"It takes 1", "1 = [cpu of d]", "docs/results/x has no cpu of d at depth 5, workers 2"},
		{"It takes 1", "1 = [wall of c]", "docs/results/x has no wall of c"},
		{"It takes 1", "1 = [cpu of a b, c] / hours", "undefined: hours"},
		{"It takes 1", "1 = [other: cpu of c]", "the comment does not say what other is"},
	} {
		all, err := Parse("# Head\n" + test.text + "\n\n" + head + test.figures + "\n-->\n\nMore 1.23 46 3.5.\n")
		if err != nil || len(all) != 1 || all[0].Section != "Head" || all[0].Text != test.text+"\n" {
			t.Fatalf("%q: %+v, %v", test.text, all, err)
		}
		var got []string
		for _, err := range all[0].Check(fakeResults{}) {
			got = append(got, err.Error())
		}
		if text := strings.Join(got, "\n"); test.want == "" && text != "" || !strings.Contains(text, test.want) {
			t.Errorf("%q, %q: %q, want %q", test.text, test.figures, text, test.want)
		}
	}
}

func TestCountsOfClaims(t *testing.T) {
	for _, test := range []struct{ from, text, figures, want string }{
		{AllResults, "Of 12 rows 5 are not proven, 0 not run.", "12 = [claims of C2]\n5 = [claims of all: not proven]\n0 = [claims of C2: not run]", ""},
		{AllResults, "42 %", "42 = 100 * [claims of C2: not proven] / [claims of C2]", ""},
		{AllResults, "Of 12 rows 4 are.", "4 = [claims of C2: not proven]", "line 4: 4 = [claims of C2: not proven], but the results now give 5"},
		{AllResults, "5", "5 = [claims of C2: unproven]", "docs/results has no claims of C2: unproven"},
		{AllResults, "5", "5 = [claims of C6]", "docs/results has no claims of C6"},
		{AllResults + "/x", "12", "12 = [claims of C2]", "docs/results/x has no claims of C2"},
	} {
		all, err := Parse(test.text + "\n\n<!-- from " + test.from + "\n" + test.figures + "\n-->\n")
		if err != nil || len(all) != 1 || all[0].Places[""].Folder != test.from {
			t.Fatalf("%q: %+v, %v", test.text, all, err)
		}
		err = errors.Join(all[0].Check(fakeResults{})...)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%q, %q: %v, want %q", test.text, test.figures, err, test.want)
		}
	}
}

// TestPlaces verifies that figures of two places are found in the order of the text, so that an
// exchange of two columns is detected.
func TestPlaces(t *testing.T) {
	for text, want := range map[string]string{
		"| 1.23 ms | 2 s |":   "",
		"| 2 s | 1.23 ms |":   "line 6: the text before line 3 does not contain 2 after the preceding figures",
		"2 s,\nand then 1.23": "line 7: the text before line 4 does not contain 2",
	} {
		all, err := Parse(text + "\n\n" + head + "other is docs/results/y at depth 6\n1.23 = [cpu of a b, c] / ms\n2 = [other: cpu of c]\n-->\n")
		if err != nil || len(all) != 1 || len(all[0].Places) != 2 {
			t.Fatalf("%q: %+v, %v", text, all, err)
		}
		err = errors.Join(all[0].Check(fakeResults{})...)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestTexts(t *testing.T) {
	one := head + "1 = 1\n-->\n"
	all, err := Parse("Text 1\nof two lines.\n\n" + one + "\nOther 1.\n" + one)
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	for i, want := range []string{"Text 1\nof two lines.\n", "Other 1.\n"} {
		if all[i].Text != want {
			t.Errorf("text %d is %q, want %q", i, all[i].Text, want)
		}
	}
}

func TestWrongComments(t *testing.T) {
	for text, want := range map[string]string{
		"<!-- from docs/resultsx\n1 = 1\n-->": "line 1: want <!-- from docs/results/NAME",
		"<!-- from somewhere\n1 = 1\n-->":     "line 1: want <!-- from docs/results/NAME at depth N, workers N",
		head + "-->":                          "line 1: this comment has no figures, or no end",
		head + "1 = 1\n":                      "line 3: want FIGURE = VALUE",
		head + "1 is 1\n-->":                  "line 2: want FIGURE = VALUE",
		head + "10 = 1, to 20\n-->":           "line 2: invalid rounding to 20: must be to 10, to 100, and so on",
		head + "15 = 1, to 10\n-->":           "line 2: 15 is not rounded to 10",
		head + "1.0 = 1, to 10\n-->":          "line 2: 1.0 is not rounded to 10",
		head + "a is docs/results/y\na is docs/results/z\n1 = 1\n-->":  "line 3: a is named twice",
		"Text 1 1\n\n" + head + "1 = 1\n-->\n\n" + head + "1 = 1\n-->": "line 7: the text before it has a comment already",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

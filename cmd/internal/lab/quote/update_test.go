package quote

import (
	"strings"
	"testing"
)

func TestUpdate(t *testing.T) {
	for _, test := range []struct{ text, figures, wantText, wantFigures string }{
		{"It takes 1.24 ms of 1.24.", "1.24 = [cpu of a b, c] / ms", "It takes 1.23 ms of 1.24.", "1.23 = [cpu of a b, c] / ms"},
		{"1.1, 1.1\nand 9 MiB", "1.1 = 1.1\n1.1 = [cpu of a b, c] / ms\n9 = [rss of a b, c] / MiB", // the second of two equal figures, on several lines
			"1.1, 1.2\nand 4 MiB", "1.1 = 1.1\n1.2 = [cpu of a b, c] / ms\n4 = [rss of a b, c] / MiB"},
		{"12 % more", "12 = 100 * ([x of a b, c] - 1)", "12 % more", "12 = 100 * ([x of a b, c] - 1)"}, // now it takes less, so the text is wrong
		{"no difference", "no difference = [x of a b, c]", "no difference", "no difference = [x of a b, c]"},
		{"no\n  difference, 1.24 ms", "no difference = [x of c]\n1.24 = [cpu of a b, c] / ms", "no\n  difference, 1.23 ms", "no difference = [x of c]\n1.23 = [cpu of a b, c] / ms"},
		{"2 % more", "2 = 100 * ([x of c] - 1)", "2 % more", "2 = 100 * ([x of c] - 1)"}, // now no difference is proven
		{"It takes 5.", "6 = [cpu of a b, c] / ms", "It takes 5.", "6 = [cpu of a b, c] / ms"},
		{"It takes 30 or 3,990.", "30 = 25\n3,990 = [cpu of c], to 10", "It takes 25 or 3,980.", "25 = 25\n3,980 = [cpu of c], to 10"},
		{"It takes 25.", "25 = 25.5", "It takes 25.", "25 = 25.5"}, // it is correct already
		{"It takes 5.", "5 = [cpu of nobody]", "It takes 5.", "5 = [cpu of nobody]"},
	} {
		document := func(text, figures string) string {
			return "# Head\n\nOther 1.24.\n\n" + text + "\n\n" + head + figures + "\n-->\n\nMore 1.24.\n"
		}
		got, err := Update(document(test.text, test.figures), fakeResults{})
		if want := document(test.wantText, test.wantFigures); err != nil || got != want {
			t.Errorf("%q, %q: %q, %v, want %q", test.text, test.figures, got, err, want)
		}
	}
	if _, err := Update("<!-- from somewhere\n1 = 1\n-->", fakeResults{}); err == nil {
		t.Error("a wrong comment is taken")
	}
}

// TestUpdateOfPlaces verifies that a figure that both columns have is replaced in its own.
func TestUpdateOfPlaces(t *testing.T) {
	const figures = "other is docs/results/y at depth 6\n1 = [cpu of a b, c] / ms\n"
	const document = "| 1 | 1 |\n\n" + head + figures + "1 = [other: cpu of c]\n-->\n"
	const want = "| 1 | 2 |\n\n" + head + figures + "2 = [other: cpu of c]\n-->\n"
	if got, err := Update(document, fakeResults{}); err != nil || got != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

// TestUpdateKeepsLineEndings verifies that each line keeps its line ending, even in a file that
// mixes them.
func TestUpdateKeepsLineEndings(t *testing.T) {
	const document = "# Head\n\nIt takes 1.24 ms\nor 9 MiB.\n\n" + head + "1.24 = [cpu of a b, c] / ms\n9 = [rss of a b, c] / MiB\n-->\n\nMore.\n"
	unix, err := Update(document, fakeResults{})
	if err != nil {
		t.Fatal(err)
	}
	windows := func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }
	if got, err := Update(windows(document), fakeResults{}); err != nil || got != windows(unix) {
		t.Errorf("%q, %v, want %q", got, err, windows(unix))
	}
	mixed := func(text string) string { return strings.Replace(text, "\n", "\r\n", 4) }
	if got, err := Update(mixed(document), fakeResults{}); err != nil || got != mixed(unix) {
		t.Errorf("%q, %v, want %q", got, err, mixed(unix))
	}
	all, err := Parse(windows(unix))
	if err != nil || len(all) != 1 || all[0].Text != "It takes 1.23 ms\nor 4 MiB.\n" || len(all[0].Check(fakeResults{})) > 0 {
		t.Errorf("%+v, %v", all, err)
	}
}

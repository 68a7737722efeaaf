package show_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/rivo/uniseg"

	"github.com/coppice-go/coppice/cmd/internal/find"
	"github.com/coppice-go/coppice/cmd/internal/find/show"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// golden compares got with a file in testdata. COPPICE_UPDATE=1 writes the file instead, to be
// reviewed.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if os.Getenv("COPPICE_UPDATE") != "" {
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is\n%s", name, got)
	}
}

func TestForms(t *testing.T) {
	for name, r := range results() {
		for form, print := range map[string]func(io.Writer, *find.Result, show.Options) error{".screen.txt": show.Screen, ".markdown.txt": show.Markdown} {
			var got bytes.Buffer
			if err := print(&got, r, show.Options{Min: 0.02, Columns: 100}); err != nil {
				t.Fatal(err)
			}
			golden(t, name+form, got.Bytes())
		}
	}
}

func screen(t *testing.T, r *find.Result, o show.Options) string {
	t.Helper()
	var out bytes.Buffer
	if err := show.Screen(&out, r, o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// wide returns the lines that are wider than the given number of columns.
func wide(text string, columns int) (all []string) {
	for line := range strings.Lines(text) {
		if uniseg.StringWidth(strings.TrimSuffix(line, "\n")) > columns {
			all = append(all, line)
		}
	}
	return all
}

func TestNoLineIsWiderThanTheScreen(t *testing.T) {
	for name, r := range results() {
		for _, o := range []show.Options{
			{}, {All: true}, {Top: 3, Min: 0.1}, {Columns: 60}, {All: true, Columns: 60}, {Columns: 80}, {All: true, Columns: 80}, {All: true, Columns: 100}, {Columns: 300},
		} {
			text := screen(t, r, o)
			if all := wide(text, columns(o)); len(all) > 0 {
				t.Errorf("%s in %d columns: %q", name, o.Columns, all)
			}
			for _, c := range text {
				if unicode.Is(unicode.C, c) && c != '\n' {
					t.Errorf("%s: %U", name, c)
				}
			}
		}
	}
}

// columns returns the maximum width of the output.
func columns(o show.Options) int {
	if o.Columns == 0 {
		return 100
	}
	return min(o.Columns, 100)
}

// TestSettingsOnANarrowTerminal verifies that the table of settings fits on a narrow terminal even
// if a value is not measurable. Such cells are wider than numbers.
func TestSettingsOnANarrowTerminal(t *testing.T) {
	r := rich()
	r.Settings[1].CPU = find.Change{Ratio: 0.97, Lo: 0.8, Hi: 1.2}
	text := screen(t, r, show.Options{Columns: 60})
	if all := wide(text, 60); len(all) > 0 {
		t.Errorf("too wide: %q", all)
	}
	for _, want := range []string{"  GOGC=400      14.2 %    [9.0 to 19.0]      +85.0 %      10\n", "  GOMEMLI…         not  [-20.0 to 20.0]          not      10\n            measurable                      measured\n                  here\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestNothingIsCutInAFile verifies that a file contains the full text of each cell, wrapped if
// necessary.
func TestNothingIsCutInAFile(t *testing.T) {
	for name, r := range results() {
		text := screen(t, r, show.Options{All: true})
		if strings.Contains(text, "…") {
			t.Errorf("%s is cut:\n%s", name, text)
		}
	}
	text := screen(t, rich(), show.Options{})
	for _, want := range []string{"bytes.go:1163 <-", "\n   escape.go:410\n", "  []Attribute  scratch and slab\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	r := long()
	r.Sites = r.Sites[5:6]
	text = screen(t, r, show.Options{All: true})
	if target, _, _ := strings.Cut(text, "29.60 ms"); strings.Join(strings.Fields(target), "") != r.Target.Package+r.Target.Name {
		t.Errorf("the target is %q", target)
	}
	_, table, found := strings.Cut(text, "malloc  lifetime")
	if !found {
		t.Fatalf("no table in\n%s", text)
	}
	typ, do := lastCells(strings.Split(table, "\n")[1:])
	if want := r.Sites[0].Facts.Type + " 104 B"; typ != want {
		t.Errorf("the type is %q, want %q in\n%s", typ, want, text)
	}
	if want := r.Sites[0].Do; do != want {
		t.Errorf("the remedy is %q, want %q in\n%s", do, want, text)
	}
}

// lastCells joins the lines of the last two cells in the first row of a table. The type in the
// first of these cells must begin with "map[".
func lastCells(lines []string) (typ, do string) {
	before, _, _ := strings.Cut(lines[0], "map[")
	indent := strings.Repeat(" ", uniseg.StringWidth(before))
	lines[0] = indent + lines[0][len(before):]
	for _, line := range lines {
		cells, ok := strings.CutPrefix(line, indent)
		if !ok {
			break
		}
		a, b, _ := strings.Cut(cells, "  ")
		typ += a
		do += strings.TrimSpace(b) + " "
	}
	return typ, strings.TrimSpace(do)
}

func TestOneScreen(t *testing.T) {
	for name, most := range map[string]int{"rich": 50, "leave": 10, "gogc": 15, "unknown": 14, "empty": 8} {
		text := screen(t, results()[name], show.Options{Columns: 100})
		if n := strings.Count(text, "\n"); n > most {
			t.Errorf("%s has %d lines:\n%s", name, n, text)
		}
	}
}

func TestWhichSitesAreShown(t *testing.T) {
	rows := func(text string) int {
		return len(regexp.MustCompile(`(?m)^[ 0-9]*(\S+ <- )?\S+\.(go|y):\d+ `).FindAllString(text, -1))
	}
	for _, c := range []struct {
		name    string
		options show.Options
		rows    int
		says    string
	}{
		{"rich", show.Options{}, 5, ""},
		{"rich", show.Options{Top: 2}, 2, "3 sites more; -all shows them"},
		{"rich", show.Options{Min: 0.02}, 4, "1 site more; -all shows them"},
		{"rich", show.Options{Min: 0.02, All: true}, 5, ""},
		{"long", show.Options{}, show.Top, "93 sites more"},
		{"leave", show.Options{}, 0, "5 sites allocate; -all shows them"},
		{"leave", show.Options{All: true}, 5, ""},
		{"gogc", show.Options{}, 0, "5 sites allocate"},
		{"unknown", show.Options{}, 1, ""},
		{"empty", show.Options{}, 0, "no allocation site found"},
	} {
		c.options.Columns = 100 // so that each site takes one line
		text := screen(t, results()[c.name], c.options)
		if n := rows(text); n != c.rows || !strings.Contains(text, c.says) || c.says == "" && strings.Contains(text, "-all") {
			t.Errorf("%s %+v: %d rows, want %d and %q in\n%s", c.name, c.options, n, c.rows, c.says, text)
		}
	}
	if text := screen(t, rich(), show.Options{Top: 2}); strings.Contains(text, "avoid the copy of") || !strings.Contains(text, "2 proposals more") {
		t.Errorf("proposals of sites that are not shown:\n%s", text)
	}
}

// TestProposalsOfShownSites verifies that a proposal is printed if a shown site refers to it, even
// if the proposal does not list the site.
func TestProposalsOfShownSites(t *testing.T) {
	r := rich()
	r.Proposals[0].Sites = []string{"a5"}
	if text := screen(t, r, show.Options{Min: 0.02}); !strings.Contains(text, "1: slab in parser for Node") {
		t.Errorf("no first proposal in\n%s", text)
	}
}

// TestEstimates verifies that an estimate is always printed with its conditions, and that a void
// estimate is not printed.
func TestEstimates(t *testing.T) {
	for _, print := range []func(io.Writer, *find.Result, show.Options) error{show.Screen, show.Markdown, page} {
		var out bytes.Buffer
		if err := print(&out, rich(), show.Options{}); err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(out.String()), " ")
		for _, want := range []string{"saves 11.6 % of CPU [8.9 to 14.2]", "bytes an operation rise by no more than 5 %", "void: bytes an operation would rise by 13.5 %"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, out.String())
			}
		}
		if strings.Contains(text, "[2.0 to 4.0]") {
			t.Errorf("a void estimate has a figure:\n%s", out.String())
		}
	}
}

func TestSettingsSayWhatIsProven(t *testing.T) {
	text := screen(t, rich(), show.Options{})
	for _, want := range []string{
		"ceiling 19.5 % of CPU [15.0 to 27.0] without the collector (GOGC=off, one processor, 10 rounds)",
		" 14.2 %   [9.0 to 19.0]       +85.0 %",
		"~ 3.0 %  [-2.0 to 10.0]  not measured",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if text := screen(t, leaveAlone(), show.Options{}); !strings.Contains(text, "ceiling not measurable here [-9.0 to 20.0] without the collector") {
		t.Errorf("the ceiling is not proven:\n%s", text)
	}
}

func TestOtherBuildsHaveAPrice(t *testing.T) {
	r := rich()
	r.Settings = append(r.Settings, find.Setting{Name: "PGO", Price: "a profile | of it", Rounds: 10, CPU: find.Change{Ratio: 0.9, Lo: 0.88, Hi: 0.92, Proven: true}})
	if text := screen(t, r, show.Options{}); !strings.Contains(text, "\n  PGO needs a profile | of it\n") {
		t.Errorf("no price in\n%s", text)
	}
	var out strings.Builder
	if err := show.Markdown(&out, r, show.Options{}); err != nil || !strings.Contains(out.String(), "\n`PGO` needs a profile \\| of it.\n") {
		t.Errorf("%v: no price in\n%s", err, out.String())
	}
	out.Reset()
	if err := show.HTML(&out, r, show.Options{}, func(string) ([]byte, error) { return nil, os.ErrNotExist }); err != nil || !strings.Contains(out.String(), "<code>PGO</code> asks for a profile | of it.") {
		t.Errorf("%v: no price in\n%s", err, out.String())
	}
}

func TestInvalidRatios(t *testing.T) {
	r := rich()
	r.Ceiling.CPU.Ratio = math.Inf(1)
	r.Settings[0].CPU.Ratio, r.Settings[1].CPU.Ratio = math.NaN(), 0
	text := screen(t, r, show.Options{})
	if strings.Count(text, "not measured") != 4 || strings.Contains(text, "[15.0 to 27.0]") {
		t.Errorf("figures without a ratio:\n%s", text)
	}
}

func TestNamesOfSites(t *testing.T) {
	for _, c := range []struct {
		place site.Place
		leaf  *site.Place
		want  string
	}{
		{site.Place{Package: "a/b", File: dir + "/x.go", Line: 3}, nil, " x.go:3 "},
		{site.Place{Package: "a/b", File: dir + "/sub/x.go", Line: 3}, nil, " sub/x.go:3 "},
		{site.Place{Package: "a/b", File: "/src/net/x.go", Line: 3}, nil, " ../x.go:3 "},
		{site.Place{Package: "a/b", File: "/cache/mod/a@v1/b/x.go", Line: 3}, nil, " b/x.go:3 "},
		{site.Place{Package: "a/b", File: "a@v1/b/x.go", Line: 3}, nil, " b/x.go:3 "},
		{site.Place{Package: "a/b", Function: "F"}, nil, " a/b.F "},
		{site.Place{Package: "a/b", File: dir + "/x.go", Line: 3}, &site.Place{Package: "bytes", File: "/go/src/bytes/bytes.go", Line: 9}, " bytes.go:9 <- x.go:3 "},
	} {
		r := notKnown()
		r.Sites[0].Place, r.Sites[0].Leaf = c.place, c.leaf
		if text := screen(t, r, show.Options{}); !strings.Contains(text, c.want) {
			t.Errorf("no %q in\n%s", c.want, text)
		}
	}
}

// TestCommandsCanBeCopied verifies that the lines of a wrapped command end with a backslash, so
// that the shell accepts them as one command.
func TestCommandsCanBeCopied(t *testing.T) {
	text := screen(t, long(), show.Options{})
	_, text, _ = strings.Cut(text, "   next     ")
	var joined string
	for line := range strings.Lines(text) {
		part, goesOn := strings.CutSuffix(strings.TrimSuffix(line, "\n"), ` \`)
		joined += strings.TrimSpace(part) + " "
		if !goesOn {
			break
		}
	}
	if want := long().Proposals[0].Next; strings.TrimSpace(joined) != strings.TrimSpace(want) {
		t.Errorf("the command is %q, want %q", joined, want)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestErrorsOfWritingAreReturned(t *testing.T) {
	for _, err := range []error{
		show.Screen(broken{}, rich(), show.Options{}), show.Markdown(broken{}, rich(), show.Options{}), page(broken{}, rich(), show.Options{}),
		show.JSON(broken{}, rich()), show.SARIF(broken{}, dir, rich()),
	} {
		if err == nil || !strings.Contains(err.Error(), "disk full") {
			t.Errorf("%v", err)
		}
	}
}

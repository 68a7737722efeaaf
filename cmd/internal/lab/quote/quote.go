// Package quote checks that the figures in documents agree with the results from which they were
// taken.
//
// A comment after a paragraph or table of a Markdown file lists the sources of its figures, one per
// line and in the order of the text. A text has at most one such comment:
//
//	<!-- from docs/results/requests at depth 12
//	197 = [request_cpu_s of go arena] / us
//	46 = 100 * (1 - [x of html arena])
//	2,800 = [throughput of go heap], to 100
//	no difference = [x of yaml chunk]
//	-->
//
// A figure must occur in the text, and differ from its value by at most half a unit of its last
// digit. Zeros at the end of a whole number are digits like any other, so 30 is wrong for a value
// of 25. If a number is rounded to tens, hundreds or more, the line states this at its end, such as
// ", to 100". A value is an arithmetic expression of terms and the units s, ms, us, ns, KiB, MiB, k
// and M. A term is the median of a contender's metric, at the depth and number of workers in the
// first line, or a ratio over rounds: x is the ratio to the baseline, and [cpu of a over b] the
// ratio to another contender. If a figure was measured on a busy machine, the text must state this.
//
// [claims of C2: not proven] is the number of rows in the folder's report that compare published
// figures of C2 and have the outcome "not proven". [claims of C2] is the number of all rows for C2,
// and [claims of all] the number for all write-ups. In a comment that begins with "from
// docs/results", the rows in the reports of all folders are counted.
//
// If the figures of one text come from several folders, depths or numbers of workers, lines after
// the first name the others. A term begins with the name of its place, unless it is the first:
//
//	<!-- from docs/results/requests at depth 12
//	xeon is docs/results/xeon/requests at depth 12
//	226 = [request_cpu_s of go arena] / us
//	431 = [xeon: request_cpu_s of go arena] / us
//	-->
//
// Files, from top to bottom: figure.go (one figure), expression.go (its arithmetic), quote.go
// (documents), update.go.
package quote

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/lab/compare"
)

// A Source is a comment that lists the sources of the figures of a paragraph or table.
type Source struct {
	Line        int              // line number of the comment
	Section     string           // the heading above it
	Places      map[string]Place // by the name that terms begin with; "" is the first one
	Text        string           // the paragraph or table before it
	first, last int              // indexes of the first line of Text and of the line after the last
	Figures     []Figure
}

// A Place identifies the rows of a report from which figures are taken.
type Place struct {
	Folder         string // results folder, such as docs/results/requests, or AllResults
	Depth, Workers int
}

// Results provides the measurements from which figures are computed.
type Results interface {
	// Row returns the row of a contender, and whether it was measured on a busy machine. ok is
	// false if there is none.
	Row(p Place, contender string) (row compare.Row, busy, ok bool)
	// Ratio returns the ratio of a metric of two rows, over the rounds in which both ran.
	Ratio(p Place, of, over compare.Row, metric string) compare.Ratio
	// Claims returns the number of rows that compare published figures of a write-up, or of All,
	// and have the given outcome. If outcome is "", all rows are counted. ok is false if the
	// write-up or the outcome does not exist.
	Claims(p Place, of, outcome string) (n int, ok bool)
}

// All stands for all write-ups. AllResults is the Folder of a Place that refers to the reports of
// all folders in docs/results.
const (
	All        = "all"
	AllResults = "docs/results"
)

var (
	place = regexp.MustCompile(`^(?:<!-- from|([a-z]\w*) is) (docs/results(?:/\S+)?)(?: at depth (\d+))?(?:, workers (\d+))?$`)
	term  = regexp.MustCompile(`\[(?:(\w+): )?(\w+) of ([^\]]+)\]`)
)

// Parse returns the sources in a document.
func Parse(document string) (all []Source, err error) {
	section, text, begin, end := "", "", 0, 0
	lines, _ := split(document)
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		switch {
		case strings.HasPrefix(line, "#"):
			section, text = strings.TrimLeft(line, "# "), ""
		case strings.HasPrefix(line, "<!-- from "):
			if n := len(all); text != "" && n > 0 && all[n-1].last == end {
				return nil, fmt.Errorf("line %d: the text before it has a comment already; name this place in that one", i+1)
			}
			s := Source{Line: i + 1, Section: section, Text: text, first: begin, last: end, Places: map[string]Place{}}
			for ; i < len(lines) && lines[i] != "-->"; i++ {
				if err := s.add(lines[i], i+1); err != nil {
					return nil, fmt.Errorf("line %d: %w", i+1, err)
				}
			}
			if i == len(lines) || len(s.Figures) == 0 {
				return nil, fmt.Errorf("line %d: this comment has no figures, or no end", s.Line)
			}
			all = append(all, s)
		case line == "" && i+1 < len(lines) && strings.HasPrefix(lines[i+1], "<!-- from "):
		case line == "":
			text = ""
		default:
			if text == "" {
				begin = i
			}
			text += line + "\n"
			end = i + 1
		}
	}
	return all, nil
}

// add adds a line of the comment, which names a place or gives the source of a figure.
func (s *Source) add(line string, number int) error {
	found := place.FindStringSubmatch(line)
	switch {
	case found != nil:
		name := found[1]
		if _, twice := s.Places[name]; twice {
			return fmt.Errorf("%s is named twice", name)
		}
		p := Place{Folder: found[2]}
		p.Depth, _ = strconv.Atoi(found[3]) // found[3] is empty or consists of digits
		p.Workers, _ = strconv.Atoi(found[4])
		s.Places[name] = p
		return nil
	case len(s.Places) == 0:
		return errors.New("want <!-- from docs/results/NAME at depth N, workers N")
	}
	f, err := parseFigure(line)
	f.Line = number
	s.Figures = append(s.Figures, f)
	return err
}

// TakesFrom reports whether the source names a results folder, or all folders.
func (s Source) TakesFrom(folder string) bool {
	for _, p := range s.Places {
		if p.Folder == folder || p.Folder == AllResults {
			return true
		}
	}
	return false
}

// split returns the lines of a document without their line endings. Each element of ends is "\r" if
// the line ends with a carriage return, and "" otherwise.
func split(document string) (lines, ends []string) {
	lines = strings.Split(document, "\n")
	ends = make([]string, len(lines))
	for i, line := range lines {
		if text, ok := strings.CutSuffix(line, "\r"); ok {
			lines[i], ends[i] = text, "\r"
		}
	}
	return lines, ends
}

// Check returns an error for each figure of the source that is wrong.
func (s Source) Check(from Results) (wrong []error) {
	rest, anyBusy := s.Text, false
	for _, f := range s.Figures {
		is, busy, err := s.current(f, from)
		anyBusy = anyBusy || busy
		switch at, end := position(rest, f.Text); {
		case err != nil:
			wrong = append(wrong, fmt.Errorf("line %d: %w", f.Line, err))
		case is != f.Text:
			wrong = append(wrong, fmt.Errorf("line %d: %s = %s, but the results now give %s", f.Line, f.Text, f.Expr, is))
		case at < 0:
			wrong = append(wrong, fmt.Errorf("line %d: the text before line %d does not contain %s after the preceding figures", f.Line, s.Line, f.Text))
		default:
			rest = rest[end:]
		}
	}
	if anyBusy && !strings.Contains(s.Text, "busy") {
		wrong = append(wrong, fmt.Errorf("line %d: some of these figures were measured on a busy machine, and the text before this comment does not say so", s.Line))
	}
	return wrong
}

// position returns the start and the end of a figure in a text, or -1 if the text does not contain
// it. It ignores matches inside a longer number. Spaces in the figure match line breaks.
func position(text, figure string) (begin, end int) {
	digit := func(b byte) bool { return b >= '0' && b <= '9' }
	pattern := regexp.MustCompile(strings.ReplaceAll(regexp.QuoteMeta(figure), " ", `\s+`))
	for from := 0; ; {
		found := pattern.FindStringIndex(text[from:])
		if found == nil {
			return -1, -1
		}
		i, end := from+found[0], from+found[1]
		before := i > 0 && (digit(text[i-1]) || (text[i-1] == '.' || text[i-1] == ',') && i > 1 && digit(text[i-2]))
		behind := end < len(text) && (digit(text[end]) || (text[end] == '.' || text[end] == ',') && end+1 < len(text) && digit(text[end+1]))
		if !before && !behind {
			return i, end
		}
		from = i + 1
	}
}

// current returns the correct text of a figure. If the present text is correct, today returns it
// unchanged. busy states whether the figure was measured on a busy machine.
func (s Source) current(f Figure, from Results) (text string, busy bool, err error) {
	proven := true
	expr := term.ReplaceAllStringFunc(f.Expr, func(t string) string {
		found := term.FindStringSubmatch(t)
		p, named := s.Places[found[1]]
		if !named {
			err = errors.Join(err, fmt.Errorf("the comment does not say what %s is", found[1]))
			return "0"
		}
		v := p.value(found[2], found[3], from)
		busy, proven = busy || v.busy, proven && v.proven
		if !v.known {
			err = errors.Join(err, fmt.Errorf("%s has no %s of %s at depth %d, workers %d", p.Folder, found[2], found[3], p.Depth, p.Workers))
		}
		return strconv.FormatFloat(v.value, 'e', -1, 64)
	})
	if err != nil {
		return "", busy, err
	}
	v, err := evaluate(expr)
	if err != nil {
		return "", busy, fmt.Errorf("%s: %w", f.Expr, err)
	}
	if !proven {
		return noDifference, busy, nil
	}
	text, err = f.textFor(v)
	return text, busy, err
}

// A value is the value of a term in an expression.
type value struct {
	value               float64
	proven, busy, known bool // proven is true for every value that is not a ratio
}

// value looks up a term: the metric of a contender, the ratio of two contenders separated by
// "over", or a number of claims.
func (p Place) value(metric, of string, from Results) value {
	if metric == "claims" {
		id, outcome, _ := strings.Cut(of, ": ")
		n, known := from.Claims(p, id, outcome)
		return value{float64(n), true, false, known}
	}
	of, over, two := strings.Cut(of, " over ")
	row, busy, known := from.Row(p, of)
	v := value{row.Metrics[metric].Median, true, busy, known}
	_, has := row.Metrics[metric]
	switch {
	case two:
		other, otherBusy, otherKnown := from.Row(p, over)
		r := from.Ratio(p, row, other, metric)
		v = value{r.Estimate, r.Proven(), busy || otherBusy, known && otherKnown}
		has = r.N > 0
	case metric == "x":
		v.value, v.proven, has = row.ToBaseline.Estimate, row.ToBaseline.Proven(), row.ToBaseline.N > 0
	}
	v.known = known && v.known && has
	return v
}

package quote

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
)

// A Figure is a number in a text, or the words "no difference", with the expression that yields its
// value.
type Figure struct {
	Line       int
	Text, Expr string
	to         string // the stated rounding of a whole number: 10, 100 and so on; "" for 1
}

const noDifference = "no difference"

var stated = regexp.MustCompile(`^(.*), to (\d+)$`)

// parseFigure parses a line of a comment. It does not check that the figure is a number or
// noDifference; Figure.near does so.
func parseFigure(line string) (f Figure, err error) {
	var ok bool
	if f.Text, f.Expr, ok = strings.Cut(line, " = "); !ok {
		return f, errors.New("want FIGURE = VALUE, or --> alone")
	}
	found := stated.FindStringSubmatch(f.Expr)
	if found == nil {
		return f, nil
	}
	f.Expr, f.to = found[1], found[2]
	if strings.TrimRight(f.to, "0") != "1" || f.to == "1" {
		return f, fmt.Errorf("invalid rounding to %s: must be to 10, to 100, and so on", f.to)
	}
	if zeros := f.to[1:]; !strings.HasSuffix(strings.ReplaceAll(f.Text, ",", ""), zeros) || strings.Contains(f.Text, ".") {
		return f, fmt.Errorf("%s is not rounded to %s", f.Text, f.to)
	}
	return f, nil
}

// decimals returns the number of digits after the decimal point. The result is negative if the
// figure is rounded to tens or more.
func (f Figure) decimals() int {
	_, fraction, _ := strings.Cut(f.Text, ".")
	return len(fraction) - max(0, len(f.to)-1)
}

// textFor returns the text of the figure if v differs from it by at most half a unit of its last
// digit. Otherwise it returns v, formatted with the same digits.
func (f Figure) textFor(v float64) (string, error) {
	if f.Text == noDifference {
		return strconv.FormatFloat(v, 'g', 3, 64), nil // a difference is proven now
	}
	is, err := strconv.ParseFloat(strings.ReplaceAll(f.Text, ",", ""), 64)
	if err != nil {
		return "", fmt.Errorf("%s is neither a number nor %q", f.Text, noDifference)
	}
	unit := math.Pow10(-f.decimals())
	if math.Abs(v-is) <= unit/2*(1+1e-9) { // a tie may round either way, and binary fractions are inexact
		return f.Text, nil
	}
	return f.written(v), nil
}

// written formats a value with the same digits as the figure.
func (f Figure) written(v float64) string {
	unit := math.Pow10(max(0, -f.decimals()))
	text := strconv.FormatFloat(math.Round(v/unit)*unit, 'f', 0, 64)
	if n := f.decimals(); n > 0 {
		text = strconv.FormatFloat(v, 'f', n, 64)
	}
	if strings.Trim(text, "-0.") == "" {
		text = strings.TrimPrefix(text, "-")
	}
	whole, fraction, _ := strings.Cut(text, ".")
	if n, err := strconv.ParseInt(whole, 10, 64); err == nil && strings.Contains(f.Text, ",") {
		text = strings.TrimSuffix(humanize.Comma(n)+"."+fraction, ".")
	}
	return text
}

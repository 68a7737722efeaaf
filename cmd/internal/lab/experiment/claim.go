package experiment

import (
	"fmt"
	"slices"
	"strings"
)

// A Claim is a published figure that the lab measures again.
type Claim struct {
	ID        string  `toml:"id"`   // for example C1.5: detail 5 of write-up C1
	What      string  `toml:"what"` // description of the figure
	Published float64 `toml:"published"`
	Unit      string  `toml:"unit"`            // x for a ratio, % for a part
	Metric    string  `toml:"metric"`          // metric of the figure, as in Experiment
	Of        string  `toml:"of"`              // the contender whose figure was published
	Over      string  `toml:"over,omitempty"`  // for a ratio: the denominator; Of is the numerator
	Whole     string  `toml:"whole,omitempty"` // for a part: the figure is (Of - Over) / (Whole - Over)
	Depth     int     `toml:"depth,omitempty"` // depth of the published figure; 0 if it has none
	Tolerance float64 `toml:"tolerance,omitempty"`
	Bound     string  `toml:"bound,omitempty"`     // above or below, if the figure is a limit
	Statistic string  `toml:"statistic,omitempty"` // min, max or mean of the runs; "" for the median
	Runs      int     `toml:"runs,omitempty"`      // runs in the published statistic; as many of our first counted runs are used; 0 for all
	Machine   bool    `toml:"machine,omitempty"`   // figure of the publication's machine; it is shown, but never judged
	Ours      string  `toml:"ours,omitempty"`      // our contender, shown beside Of
	OursOver  string  `toml:"ours_over,omitempty"` // for a ratio: the denominator for Ours
	WhyNot    string  `toml:"why_not,omitempty"`   // reason if the claim does not hold today
}

// Values of Bound and Statistic in a Claim.
const (
	Above = "above"
	Below = "below"
	Min   = "min"
	Max   = "max"
	Mean  = "mean"
)

// Units lists the valid units of a claim: x for a ratio, % for a fraction.
var Units = []string{"x", "%"}

// WriteUp returns the name of the write-up that published the claim, which is its ID up to the
// first dot.
func (c Claim) WriteUp() string {
	name, _, _ := strings.Cut(c.ID, ".")
	return name
}

// Contenders returns the contenders that a claim compares. These are the fields Of, Over and Whole,
// if set.
func (c Claim) Contenders() []string {
	return slices.DeleteFunc([]string{c.Of, c.Over, c.Whole}, func(name string) bool { return name == "" })
}

// checkClaims checks that claims name known contenders, and that no two claims have both the same
// ID and the same text, because a report identifies figures by ID and text.
func checkClaims(all []Claim, known []string) error {
	type name struct{ id, what string }
	seen := map[name]bool{}
	for _, c := range all {
		if err := c.check(known); err != nil {
			return err
		}
		if seen[name{c.ID, c.What}] {
			return fmt.Errorf("two claims are called %s, %q", c.ID, c.What)
		}
		seen[name{c.ID, c.What}] = true
	}
	return nil
}

func (c Claim) check(known []string) error {
	for _, name := range append(c.Contenders(), c.Ours, c.OursOver) {
		if name != "" && !slices.Contains(known, name) {
			return fmt.Errorf("claim %s, %q, is about %q, which is not a contender; did you mean %s?", c.ID, c.What, name, closest(name, known))
		}
	}
	switch {
	case c.Published <= 0 || c.What == "" || c.Metric == "" || c.Of == "":
		return fmt.Errorf("claim %s: set \"what\", \"metric\" and \"of\", and \"published\" to a value above 0", c.ID)
	case c.Bound != "" && c.Bound != Above && c.Bound != Below:
		return fmt.Errorf("claim %s, %q, has bound %q; want above or below", c.ID, c.What, c.Bound)
	case c.Statistic != "" && (c.Over != "" || c.Statistic != Min && c.Statistic != Max && c.Statistic != Mean):
		return fmt.Errorf("claim %s, %q, has statistic %q; it must be min, max or mean, and \"over\" must be unset", c.ID, c.What, c.Statistic)
	case c.Statistic != "" && (c.Bound != "" || c.Unit == "x"):
		return fmt.Errorf("claim %s, %q, has statistic %q; \"bound\" must be unset and \"unit\" must not be x, because only a median has the interval that they need", c.ID, c.What, c.Statistic)
	case c.Runs < 0 || c.Runs > 0 && c.Statistic == "":
		return fmt.Errorf("claim %s, %q, has runs %d; \"runs\" must be positive, and \"statistic\" must be set", c.ID, c.What, c.Runs)
	case c.Whole != "" && (c.Over == "" || c.Ours != ""):
		return fmt.Errorf("claim %s, %q, sets \"whole\"; \"over\" must be set, and \"ours\" unset", c.ID, c.What)
	case c.Ours == "" && c.OursOver != "", c.Ours != "" && (c.OursOver == "") != (c.Over == ""):
		return fmt.Errorf("claim %s, %q: set \"ours_over\" if and only if \"ours\" and \"over\" are set", c.ID, c.What)
	}
	return nil
}

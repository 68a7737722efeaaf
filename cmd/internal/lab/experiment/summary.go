package experiment

import (
	"errors"
	"fmt"
	"slices"
)

// A Summary is a published table that compares two strategies by several figures. The lab prints
// the table again with today's figures.
type Summary struct {
	Claim string       `toml:"claim"`
	Old   string       `toml:"old"` // contender for the published old strategy
	New   []string     `toml:"new"` // contender for the published new strategy, then others to compare
	Rows  []SummaryRow `toml:"row"`
}

// A SummaryRow is a row of the published table, with one figure.
type SummaryRow struct {
	What   string  `toml:"what"`
	Metric string  `toml:"metric"`
	Old    float64 `toml:"old"`
	New    float64 `toml:"new"`
}

func (s Summary) check(known []string) error {
	if s.Claim == "" || len(s.New) == 0 || len(s.Rows) == 0 {
		return errors.New("the summary: set \"claim\", \"old\" and \"new\", and add at least one row")
	}
	for _, name := range append([]string{s.Old}, s.New...) {
		if !slices.Contains(known, name) {
			return fmt.Errorf("the summary of %s is about %q, which is not a contender; did you mean %s?", s.Claim, name, closest(name, known))
		}
	}
	for _, r := range s.Rows {
		if r.What == "" || r.Metric == "" || r.Old <= 0 || r.New <= 0 {
			return fmt.Errorf("a row of the summary of %s: set \"what\" and \"metric\", and \"old\" and \"new\" to values above 0", s.Claim)
		}
	}
	return nil
}

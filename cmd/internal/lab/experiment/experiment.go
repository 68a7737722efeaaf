// Package experiment reads the declarations of the lab: workloads with parameters, the programs
// that solve them, and published figures to compare with. All declarations are data, in the
// contenders.toml files of any repository. This is the first stage of the lab's pipeline:
//
//	experiment -> runner -> record -> stats -> report
package experiment

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/nearest"
)

// FileName is the name of the files that declare experiments.
const FileName = "contenders.toml"

// An Experiment is a workload with parameters, its contenders and its claims.
type Experiment struct {
	Name     string `toml:"name"`
	Title    string `toml:"title"`              // the question that the experiment answers
	Baseline string `toml:"baseline,omitempty"` // the contender that ratios refer to, unless a contender names its own
	Lead     string `toml:"lead,omitempty"`     // the language whose contenders the verdict is about first; "" for all
	Metric   string `toml:"metric"`             // ranking metric: cpu, wall, or one that contenders report
	Depth    int    `toml:"depth"`              // default value of the parameter {depth}
	Runs     int    `toml:"runs"`               // default number of measured rounds
	Warmup   int    `toml:"warmup"`             // default number of warm-up rounds, which are not evaluated
	Timeout  int    `toml:"timeout"`            // time limit of one run, in seconds

	// Expected is a command that prints the correct answer to standard output. To standard error it
	// prints lines of the form "least NAME BYTES", which state the minimum number of bytes that
	// contenders whose Least is NAME must allocate. If the command contains {group}, it runs once
	// for each group. Without Expected, answers are only compared with each other.
	Expected []string `toml:"expected,omitempty"`

	Columns    []Column    `toml:"column,omitempty"`   // metrics to show in addition to the lab's
	Reported   []string    `toml:"reported,omitempty"` // metrics that contenders report and claims use, but that have no column
	Contenders []Contender `toml:"contender"`
	Claims     []Claim     `toml:"claim,omitempty"`
	Summary    *Summary    `toml:"summary,omitempty"` // a published table to reproduce, or nil
}

// A Column is a metric that contenders report, with its heading in tables.
type Column struct {
	Metric string `toml:"metric"`
	Name   string `toml:"name"`
	Words  string `toml:"words,omitempty"` // in a sentence, such as "CPU time of a request"; "" for the name
}

// A Contender is a program that solves the workload. The default class is open, and the default
// baseline is the baseline of the experiment. If the build or run command is go, the default
// language is Go.
type Contender struct {
	Name     string            `toml:"name"`
	Language string            `toml:"language,omitempty"`
	Class    string            `toml:"class"`              // one of Classes, each ranked separately
	Group    string            `toml:"group,omitempty"`    // the part of the workload that it solves; each group is ranked separately
	Baseline string            `toml:"baseline,omitempty"` // the contender of its group that its ratios refer to; "" for the experiment's
	Build    []string          `toml:"build,omitempty"`    // the command that builds {bin}; empty if there is nothing to build
	Run      []string          `toml:"run"`
	Program  []string          `toml:"program,omitempty"` // files and folders that make up the program, if Run does not name all of them
	Needs    []Need            `toml:"needs,omitempty"`
	Env      map[string]string `toml:"env,omitempty"`     // environment variables of its runs
	Least    string            `toml:"least,omitempty"`   // the name of the least bytes that it must allocate; "" for none
	Reports  bool              `toml:"reports,omitempty"` // whether it writes its own figures to {report}
	Single   bool              `toml:"single,omitempty"`  // the program always has one thread
	Ours     bool              `toml:"ours,omitempty"`    // the contender is ours: the report highlights it, and the verdict assesses our best one
	Unfair   string            `toml:"unfair,omitempty"`  // why the comparison is unfair

	Folder  string `toml:"-"` // the folder of the file that declares it, relative to the root
	Workers int    `toml:"-"` // the number of threads to request; 0 for the program's default
}

// WithWorkers returns a copy of each contender for each number of threads in counts. A contender
// without a parameter for threads is returned once, and a single-threaded contender is not returned
// for counts above 1. The order of counts affects only the order of the result.
func WithWorkers(contenders []Contender, counts []int) (all []Contender) {
	once := make([]bool, len(contenders)) // returned contenders that have no thread parameter
	for _, count := range counts {
		for i, c := range contenders {
			if once[i] || c.Single && count > 1 {
				continue
			}
			if Uses(c.Run, Workers) {
				c.Workers = count
			} else {
				once[i] = true
			}
			all = append(all, c)
		}
	}
	return all
}

// checkDeclared checks that all metrics, contenders, placeholders and files that a declaration
// names exist. For declarations that were saved with results, only check is called, because the
// tree may have changed.
func (e *Experiment) checkDeclared(tree fs.FS) error {
	if err := e.check(); err != nil {
		return err
	}
	if err := checkPlaceholders("expected", e.Expected); err != nil {
		return err
	}
	for _, c := range e.Contenders {
		err := c.checkDeclared(len(e.Expected) > 0)
		if err == nil {
			err = c.checkFiles(tree)
		}
		if err != nil {
			return fmt.Errorf("contender %q: %w", c.Name, err)
		}
	}
	for _, c := range e.Claims {
		if c.Unit != "" && !slices.Contains(Units, c.Unit) {
			return fmt.Errorf("claim %s, %q, has unit %q; want one of %s, or none", c.ID, c.What, c.Unit, strings.Join(Units, " and "))
		}
	}
	if e.Lead != "" && !slices.ContainsFunc(e.Contenders, func(c Contender) bool { return c.Ours && c.Language == e.Lead }) {
		return fmt.Errorf("lead %q is not the language of a contender with ours = true", e.Lead)
	}
	return e.checkMetrics()
}

// check checks the properties that are needed to read results. Every version of the lab has
// required these, so saved declarations pass.
func (e *Experiment) check() error {
	if e.Name == "" || e.Title == "" {
		return errors.New("an experiment needs a name and a title")
	}
	if err := checkExperimentName(e.Name, e.Title); err != nil {
		return err
	}
	if len(e.Contenders) == 0 {
		return errors.New("an experiment needs at least one [[contender]]")
	}
	if e.Depth < 0 {
		return fmt.Errorf("invalid depth %d: must be at least 0", e.Depth)
	}
	if err := relative("expected", e.Expected); err != nil {
		return err
	}
	if e.Runs < 1 || e.Warmup < 0 || e.Timeout < 1 {
		return fmt.Errorf("invalid runs %d, warmup %d or timeout %d: runs and timeout must be at least 1, warmup at least 0", e.Runs, e.Warmup, e.Timeout)
	}
	seen := map[string]bool{}
	for i, c := range e.Contenders {
		switch {
		case c.Name == "":
			return fmt.Errorf("contender %d has no name", i+1)
		case seen[c.Name]:
			return fmt.Errorf("two contenders are called %q", c.Name)
		case len(c.Run) == 0:
			return fmt.Errorf("contender %q has no run command", c.Name)
		case c.Least != "" && !c.Reports:
			return fmt.Errorf("contender %q has least, which requires reports = true", c.Name)
		case !slices.Contains(Classes, c.Class):
			return fmt.Errorf("contender %q has class %q; %swant %s", c.Name, c.Class, nearest.Hint(c.Class, Classes), ClassNames)
		}
		if err := c.checkWords(); err != nil {
			return fmt.Errorf("contender %q: %w", c.Name, err)
		}
		for _, need := range c.Needs {
			if err := need.check(); err != nil {
				return fmt.Errorf("contender %q: %w", c.Name, err)
			}
		}
		seen[c.Name] = true
	}
	if err := e.checkBaselines(); err != nil {
		return err
	}
	if err := checkClaims(e.Claims, e.names()); err != nil {
		return err
	}
	if e.Summary != nil {
		return e.Summary.check(e.names())
	}
	return nil
}

// names returns the names of the contenders.
func (e Experiment) names() (all []string) {
	for _, c := range e.Contenders {
		all = append(all, c.Name)
	}
	return all
}

// Find returns the experiment with the given name. If there is none, the error suggests similar
// names.
func Find(all []Experiment, name string) (Experiment, error) {
	var names []string
	for _, e := range all {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	return Experiment{}, fmt.Errorf("no experiment %q; did you mean %s?", name, closest(name, names))
}

// Select returns the contenders whose names match any of the patterns, in order of declaration. The
// patterns have the syntax of path.Match. Without patterns, Select returns all contenders.
func (e Experiment) Select(patterns []string) ([]Contender, error) {
	if len(patterns) == 0 {
		return e.Contenders, nil
	}
	chosen, names := make(map[string]bool), e.names()
	for _, p := range patterns {
		found := false
		for _, name := range names {
			ok, err := path.Match(p, name)
			if err != nil {
				return nil, fmt.Errorf("pattern %q: %w", p, err)
			}
			if ok {
				chosen[name], found = true, true
			}
		}
		if !found {
			return nil, fmt.Errorf("no contender %q in %s; did you mean %s?", p, e.Name, closest(p, names))
		}
	}
	return slices.DeleteFunc(slices.Clone(e.Contenders), func(c Contender) bool { return !chosen[c.Name] }), nil
}

// closest returns the three names that are most similar to the given name, separated by commas.
func closest(name string, names []string) string {
	const most = 3
	return strings.Join(nearest.Names(name, names, most), ", ")
}

// Package find answers three questions about a Go program: does allocation cost anything, how much
// would one line of configuration save, and which remedies are worth the work, and at which sites?
// Each stage of the analysis is a package: probe builds and runs a benchmark, profiles finds where
// the benchmark allocates, facts collects data about each place from the source and the compiler,
// and decide determines what to do. Package show prints the answer. docs/decisions/0021 explains
// how lifetimes are measured, and how the savings are estimated.
package find

import (
	"time"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// Schema is the version of the JSON format of a Result.
const Schema = 1

// A Result contains the answer for one program, and the data that leads to it.
type Result struct {
	Schema      int               `json:"schema"`
	Tool        string            `json:"tool"`
	Started     time.Time         `json:"started"`
	Environment map[string]string `json:"environment"`
	Target      Target            `json:"target"`
	Op          Op                `json:"op"`
	Classes     site.Classes      `json:"classes"`
	Ceiling     *Setting          `json:"ceiling,omitempty"`  // effect of GOGC=off on one processor
	Settings    []Setting         `json:"settings,omitempty"` // savings by one-line settings: GOGC=400, GOMEMLIMIT
	Answer      Answer            `json:"answer"`
	Reason      string            `json:"reason"` // reason for the answer, in one sentence
	Probes      []Probe           `json:"probes"`
	Sites       []*site.Site      `json:"sites"` // the most expensive site first
	Proposals   []Proposal        `json:"proposals"`
	Taking      float64           `json:"taking,omitempty"` // seconds spent to determine what coppice fix would change
	Warnings    []string          `json:"warnings"`
}

// A Target describes the program that was measured.
type Target struct {
	Package string `json:"package,omitempty"`
	Name    string `json:"name"`           // BenchmarkParse, -test and a pattern, -main and the arguments of a program, or the source of profiles
	Unit    string `json:"unit"`           // what an operation is: "operation", "run", "second", "profile"
	Dir     string `json:"dir"`            // folder of the package, for relative names
	Next    string `json:"next"`           // arguments of coppice prove for the same target: -bench '^BenchmarkParse$' ./html
	Find    string `json:"find,omitempty"` // arguments of coppice find for the target, if different: -test Parse ./html
	// Sources and Then are set for existing profiles: the sources that were read, and the command
	// to run next.
	Sources []string `json:"sources,omitempty"`
	Then    string   `json:"then,omitempty"`
}

// A Probe describes a run that recorded heap profiles. These slow the program down, so the times of
// the run are not used.
type Probe struct {
	Name       string  `json:"name"`
	Operations int     `json:"operations"`
	Slowdown   float64 `json:"slowdown"` // CPU time of an operation, relative to a plain run
}

// The names of the probes.
const (
	HoldResults   = "hold and drop"
	RandomMoments = "random moments"
	Allocations   = "allocations only"
)

// These types are declared in package site, because the stages need them too.
type (
	Op       = site.Op
	Setting  = site.Setting
	Change   = site.Change
	Answer   = site.Answer
	Proposal = site.Proposal
	Estimate = site.Estimate
)

// The possible answers.
const (
	LeaveAlone = site.LeaveAlone
	SetGOGC    = site.SetGOGC
	FixSites   = site.FixSites
	NotKnown   = site.NotKnown
)

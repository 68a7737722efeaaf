package site

import "slices"

// An Op contains the cost of one operation.
type Op struct {
	CPU    float64 `json:"cpu"`    // CPU time in seconds
	Allocs float64 `json:"allocs"` // number of objects
	Bytes  float64 `json:"bytes"`
	Cycles float64 `json:"cycles"` // number of garbage collections
	Exact  bool    `json:"exact"`  // whether objects and bytes are counted, not sampled
}

// A Setting describes the effect of a setting of the Go runtime, or of a different build. The
// effect is measured in pairs with the default.
type Setting struct {
	Name   string  `json:"name"`            // such as GOGC=400
	Price  string  `json:"price,omitempty"` // what a different build requires
	Rounds int     `json:"rounds"`
	CPU    Change  `json:"cpu"`
	RSS    *Change `json:"rss,omitempty"` // change in peak memory
	// PeakBefore and PeakAfter are the medians of the peak memory in bytes, with the default and
	// with the setting. They are 0 if the peaks were not measured.
	PeakBefore float64 `json:"peakBefore,omitempty"`
	PeakAfter  float64 `json:"peakAfter,omitempty"`
}

// A Change is a ratio of two values with its 95 % interval. A ratio of 0.8 saves 20 %.
type Change struct {
	Ratio  float64 `json:"ratio"`
	Lo     float64 `json:"lo"`
	Hi     float64 `json:"hi"`
	Proven bool    `json:"proven"` // the interval excludes 1
}

// An Answer is the recommendation for the whole program.
type Answer string

// These are the values of Answer.
const (
	LeaveAlone Answer = "leave it alone"
	SetGOGC    Answer = "set GOGC"
	FixSites   Answer = "fix sites"
	NotKnown   Answer = "not known" // too few samples, or the ceiling was not measured
)

// A Proposal is a change that covers one or more sites.
type Proposal struct {
	ID       string   `json:"id"`
	Remedy   Remedy   `json:"remedy"`
	Title    string   `json:"title"` // such as slab in parser for Node
	Sites    []string `json:"sites"` // IDs of the sites
	Estimate Estimate `json:"estimate"`
	Fix      *Fix     `json:"fix,omitempty"` // what coppice fix would edit for it; nil if not examined
	Why      []string `json:"why"`
	Price    []string `json:"price"` // what the proposal costs besides work
	// Requires describes what an import from Coppice costs: the dependency, and a higher go line in
	// go.mod. It is empty if the module already requires Coppice. A change by coppice fix does
	// not add the dependency.
	Requires string `json:"requires,omitzero"`
	Next     string `json:"next"` // command to run next
	Page     string `json:"page"` // address of the remedy's page
	Help     string `json:"help"` // command that prints the page, such as coppice help remedy slab
}

// Prices returns all that the proposal costs besides work, for a person who makes the change by
// hand.
func (p Proposal) Prices() []string {
	if p.Requires == "" {
		return p.Price
	}
	return append(slices.Clip(p.Price), p.Requires)
}

// An Estimate is the share of the CPU time that a proposal saves, from 0 to 1, with its 95 %
// interval.
type Estimate struct {
	CPU  float64  `json:"cpu"`
	Lo   float64  `json:"lo"`
	Hi   float64  `json:"hi"`
	Void []string `json:"void"` // reasons why the estimate does not hold here; empty if it does
	If   []string `json:"if"`   // conditions under which the estimate holds, always printed
}

// A Fix describes what coppice fix would edit for a proposal, according to its own analysis of the
// source.
type Fix struct {
	Sites []string `json:"sites"` // IDs of the sites that coppice fix edits
	// CPU is the share of the CPU time that changes at these sites save. It is computed like the
	// estimate of the proposal, and holds under the same conditions.
	CPU    float64  `json:"cpu"`
	Lo     float64  `json:"lo"`
	Hi     float64  `json:"hi"`
	Stays  []string `json:"stays"`            // code that is left unchanged, with the reasons
	ByHand string   `json:"byHand,omitempty"` // the first reason, if no site is edited
}

// Package shard divides a sweep of the lab into parts that machines measure independently, and
// decides which results of a part are used. A plan is a folder: plan.json, a file for each shard,
// scripts for schedulers, and the results. docs/decisions/0028 gives the reasons.
package shard

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/coppice-go/coppice/cmd/internal/datafile"
)

// Schema is the version of plan.json and of the files of shards.
const Schema = 1

// PlanFile identifies the folder of a plan.
const PlanFile = "plan.json"

// MostSessions is the maximum number of sessions of a sweep.
const MostSessions = 1_000_000

// A Plan is a sweep and its division: the contents of plan.json.
type Plan struct {
	Schema     int       `json:"schema"`
	Hash       string    `json:"hash"` // of everything else in the file
	Made       time.Time `json:"made"`
	Command    string    `json:"command"` // the command line that made it
	Experiment string    `json:"experiment"`
	// These fields state what a shard requires of the machine on which it runs.
	Declaration string `json:"declaration"`        // a hash of the experiment with all contenders, as declared
	Revision    string `json:"revision,omitempty"` // of the tree, with a plus sign if it had changes; "" without git
	Binary      string `json:"binary"`             // a hash of the coppice that made the plan

	Sweep  Sweep `json:"sweep"`
	Shards int   `json:"shards"` // how many
}

// A Sweep describes all sessions. Its values are named like the flags of coppice lab run.
type Sweep struct {
	Depths      []int  `json:"depths"`
	Workers     []int  `json:"workers"`     // numbers of threads; 0 for the contenders' default
	Repetitions int    `json:"repetitions"` // sessions of each depth and number of threads
	Runs        int    `json:"runs"`        // rounds of a session
	Warmup      int    `json:"warmup"`
	Seed        uint64 `json:"seed"` // the first session's; each has its own
	Contenders  string `json:"contenders,omitempty"`
	Class       string `json:"class,omitempty"`
	GOGC        string `json:"gogc,omitempty"`
	MemLimit    string `json:"memlimit,omitempty"`
	Complete    bool   `json:"complete,omitempty"`
}

// Sessions returns the number of sessions in the sweep.
func (s Sweep) Sessions() int { return len(s.Depths) * len(s.Workers) * s.Repetitions }

// A Shard is the part that one machine measures without interruption: the contents of its file.
type Shard struct {
	Schema   int       `json:"schema"`
	Plan     string    `json:"plan"`  // the plan's hash
	Shard    int       `json:"shard"` // from 0
	Sessions []Session `json:"sessions"`
}

// A Session is a part of a sweep that is never divided: all contenders at one depth and number of
// threads, in interleaved rounds.
type Session struct {
	Depth      int    `json:"depth"`
	Workers    int    `json:"workers"`
	Repetition int    `json:"repetition"` // from 1
	Seed       uint64 `json:"seed"`
}

// New returns the plan with its hash, or an error if the sweep cannot be divided in this way.
func New(p Plan) (Plan, error) {
	p.Schema = Schema
	if err := p.Sweep.check(); err != nil {
		return p, err
	}
	if n := p.Sweep.Sessions(); p.Shards < 1 || p.Shards > n {
		return p, fmt.Errorf("invalid -shards %d: must be between 1 and the number of sessions, %d (depths %d x thread counts %d x repetitions %d); -sessions changes that",
			p.Shards, n, len(p.Sweep.Depths), len(p.Sweep.Workers), p.Sweep.Repetitions)
	}
	text, err := json.Marshal(p) // and back, so that the hash covers no more than the file
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	p.Hash = p.hash()
	return p, err
}

// hash returns a hash of the contents of the file, without the field Hash.
func (p Plan) hash() string {
	p.Hash = ""
	text, err := json.Marshal(p)
	if err != nil {
		return ""
	}
	return Sum(text)
}

// Sum returns a short hash of text.
func Sum(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])[:16]
}

// SumFile returns a short hash of a file.
func SumFile(name string) (string, error) {
	file, err := os.Open(name)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	_, err = io.Copy(sum, file)
	return hex.EncodeToString(sum.Sum(nil))[:16], errors.Join(err, file.Close())
}

// check requires the sweep to be feasible.
func (s Sweep) check() error {
	if len(s.Depths) == 0 || len(s.Workers) == 0 || s.Repetitions < 1 || s.Runs < 1 || s.Warmup < 0 || slices.Min(s.Depths) < 0 || slices.Min(s.Workers) < 0 {
		return errors.New("the sweep has no sessions, or a value that is too small")
	}
	if n := max(len(s.Depths), len(s.Workers), s.Repetitions); n > MostSessions || s.Sessions() > MostSessions {
		return fmt.Errorf("the sweep has more than %d sessions", MostSessions)
	}
	return nil
}

// check requires the plan to be feasible. It may come from a file that was edited by hand.
func (p Plan) check() error {
	if err := p.Sweep.check(); err != nil {
		return err
	}
	if p.Shards < 1 || p.Shards > p.Sweep.Sessions() {
		return fmt.Errorf("invalid number of shards %d: must be between 1 and the number of sessions, %d", p.Shards, p.Sweep.Sessions())
	}
	return nil
}

// Read returns the plan in a folder.
func Read(folder string) (Plan, error) {
	name := filepath.Join(folder, PlanFile)
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return Plan{}, fmt.Errorf("%s contains no %s; coppice lab plan -out %s writes one", folder, PlanFile, folder)
	} else if err != nil {
		return Plan{}, err
	}
	var kind struct{ Schema int }
	if err := json.Unmarshal(text, &kind); err != nil {
		return Plan{}, fmt.Errorf("%s is not a plan of the lab: %w; plan again, into another folder", name, datafile.JSON(err))
	}
	if kind.Schema != Schema {
		return Plan{}, fmt.Errorf("%s has schema %d; this program reads schema %d", name, kind.Schema, Schema)
	}
	var p Plan
	if err := strict(text, &p); err != nil {
		return Plan{}, fmt.Errorf("%s is not a plan of the lab: %w; plan again, into another folder", name, err)
	}
	if p.Hash != p.hash() {
		return Plan{}, fmt.Errorf("%s was changed after it was made: its hash is %s, not %q; plan again, into another folder", name, p.hash(), p.Hash)
	}
	if err := p.check(); err != nil {
		return Plan{}, fmt.Errorf("%s is not a plan of the lab: %w", name, err)
	}
	return p, nil
}

// strict decodes JSON. Unknown names are an error.
func strict(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return datafile.JSON(err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return errors.New("trailing data")
	}
	return nil
}

// Shard returns one shard. The sessions are distributed round-robin, the deepest first, so that no
// shard has all of the long ones.
func (p Plan) Shard(i int) Shard {
	s := Shard{Schema: Schema, Plan: p.Hash, Shard: i}
	depths := slices.Clone(p.Sweep.Depths)
	slices.SortFunc(depths, func(a, b int) int { return b - a })
	for k := i; k < p.Sweep.Sessions(); k += p.Shards {
		place := k / p.Sweep.Repetitions
		s.Sessions = append(s.Sessions, Session{
			Depth: depths[place/len(p.Sweep.Workers)], Workers: p.Sweep.Workers[place%len(p.Sweep.Workers)],
			Repetition: k%p.Sweep.Repetitions + 1, Seed: p.Sweep.Seed + uint64(k),
		})
	}
	return s
}

// ReadShard returns a shard from its file, which must agree with the plan.
func (p Plan) ReadShard(folder string, i int) (Shard, error) {
	want := p.Shard(i)
	name := File(folder, i)
	text, err := os.ReadFile(name)
	if err != nil {
		return want, fmt.Errorf("%w; plan again, into another folder", err)
	}
	var got Shard
	err = strict(text, &got)
	if err == nil && (got.Schema != want.Schema || got.Plan != want.Plan || got.Shard != want.Shard || !slices.Equal(got.Sessions, want.Sessions)) {
		err = errors.New("it does not match " + PlanFile)
	}
	if err != nil {
		return want, fmt.Errorf("%s is not a shard of this plan: %w; plan again, into another folder", name, err)
	}
	return want, nil
}

// File returns the name of the file of a shard.
func File(folder string, i int) string {
	return filepath.Join(folder, shardsFolder, strconv.Itoa(i)+".json")
}

// Results returns the folder of the results of a shard. It exists only when they are complete.
func Results(folder string, i int) string {
	return filepath.Join(folder, "results", strconv.Itoa(i))
}

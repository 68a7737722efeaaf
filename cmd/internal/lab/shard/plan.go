// Package shard divides a sweep of the lab into shards that machines measure independently, and
// decides which results of a shard are used. A plan is a folder that contains plan.json, a file for
// each shard, scripts for schedulers, and the results. docs/decisions/0028 gives the reasons.
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

// Schema is the version of plan.json and of the shard files.
const Schema = 1

// PlanFile is the name of the file that marks a folder as the folder of a plan.
const PlanFile = "plan.json"

// MostSessions is the maximum number of sessions in a sweep.
const MostSessions = 1_000_000

// A Plan describes a sweep and how it is divided into shards. It is stored in plan.json.
type Plan struct {
	Schema     int       `json:"schema"`
	Hash       string    `json:"hash"` // hash of everything else in the file
	Made       time.Time `json:"made"`
	Command    string    `json:"command"` // command line that made the plan
	Experiment string    `json:"experiment"`
	// A shard runs only with the declaration, the revision and the binary that the following fields
	// describe.
	Declaration string `json:"declaration"`        // hash of the experiment with all contenders, as declared
	Revision    string `json:"revision,omitempty"` // of the tree, with a plus sign if it had changes; "" without git
	Binary      string `json:"binary"`             // hash of the coppice program that made the plan

	Sweep  Sweep `json:"sweep"`
	Shards int   `json:"shards"` // number of shards
}

// A Sweep describes the sessions of a plan. Its fields correspond to the flags of coppice lab run.
type Sweep struct {
	Depths      []int  `json:"depths"`
	Workers     []int  `json:"workers"`     // numbers of threads; 0 for the contenders' default
	Repetitions int    `json:"repetitions"` // number of sessions for each depth and thread count
	Runs        int    `json:"runs"`        // rounds of each session
	Warmup      int    `json:"warmup"`
	Seed        uint64 `json:"seed"` // seed of the first session; each session has its own
	Contenders  string `json:"contenders,omitempty"`
	Class       string `json:"class,omitempty"`
	GOGC        string `json:"gogc,omitempty"`
	MemLimit    string `json:"memlimit,omitempty"`
	Complete    bool   `json:"complete,omitempty"`
}

// Sessions returns the number of sessions in the sweep.
func (s Sweep) Sessions() int { return len(s.Depths) * len(s.Workers) * s.Repetitions }

// A Shard contains the sessions that one machine measures without interruption. It is stored in a
// file of its own.
type Shard struct {
	Schema   int       `json:"schema"`
	Plan     string    `json:"plan"`  // hash of the plan
	Shard    int       `json:"shard"` // index of the shard, from 0
	Sessions []Session `json:"sessions"`
}

// A Session is the smallest unit of a sweep. It runs all contenders at one depth and number of
// threads, in interleaved rounds.
type Session struct {
	Depth      int    `json:"depth"`
	Workers    int    `json:"workers"`
	Repetition int    `json:"repetition"` // number of the repetition, from 1
	Seed       uint64 `json:"seed"`
}

// New sets the schema and the hash of a plan, and returns the plan. It returns an error if the
// sweep is invalid or cannot be divided into this number of shards.
func New(p Plan) (Plan, error) {
	p.Schema = Schema
	if err := p.Sweep.check(); err != nil {
		return p, err
	}
	if n := p.Sweep.Sessions(); p.Shards < 1 || p.Shards > n {
		return p, fmt.Errorf("invalid -shards %d: must be between 1 and the number of sessions, %d (depths %d x thread counts %d x repetitions %d); -sessions changes that",
			p.Shards, n, len(p.Sweep.Depths), len(p.Sweep.Workers), p.Sweep.Repetitions)
	}
	text, err := json.Marshal(p) // encode and decode, so that the hash covers no more than the file
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	p.Hash = p.hash()
	return p, err
}

// hash returns a hash of all fields except Hash, as they are stored in the file.
func (p Plan) hash() string {
	p.Hash = ""
	text, err := json.Marshal(p)
	if err != nil {
		return ""
	}
	return Sum(text)
}

// Sum returns a shortened SHA-256 hash of text.
func Sum(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])[:16]
}

// SumFile returns a shortened SHA-256 hash of a file's contents.
func SumFile(name string) (string, error) {
	file, err := os.Open(name)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	_, err = io.Copy(sum, file)
	return hex.EncodeToString(sum.Sum(nil))[:16], errors.Join(err, file.Close())
}

// check returns an error if the sweep has no sessions or too many, or if a value is too small.
func (s Sweep) check() error {
	if len(s.Depths) == 0 || len(s.Workers) == 0 || s.Repetitions < 1 || s.Runs < 1 || s.Warmup < 0 || slices.Min(s.Depths) < 0 || slices.Min(s.Workers) < 0 {
		return errors.New("the sweep has no sessions, or a value that is too small")
	}
	if n := max(len(s.Depths), len(s.Workers), s.Repetitions); n > MostSessions || s.Sessions() > MostSessions {
		return fmt.Errorf("the sweep has more than %d sessions", MostSessions)
	}
	return nil
}

// check returns an error if the plan is invalid. A plan may come from a file that was edited by
// hand.
func (p Plan) check() error {
	if err := p.Sweep.check(); err != nil {
		return err
	}
	if p.Shards < 1 || p.Shards > p.Sweep.Sessions() {
		return fmt.Errorf("invalid number of shards %d: must be between 1 and the number of sessions, %d", p.Shards, p.Sweep.Sessions())
	}
	return nil
}

// Read reads the plan in a folder, and checks it.
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

// strict decodes JSON and rejects unknown fields and trailing data.
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

// Shard returns shard i. Sessions are distributed round-robin, deepest first, so that the long ones
// are spread over all shards.
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

// ReadShard reads the file of a shard and checks that it agrees with the plan.
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

// Results returns the results folder of a shard. The folder exists only when the results are
// complete.
func Results(folder string, i int) string {
	return filepath.Join(folder, "results", strconv.Itoa(i))
}

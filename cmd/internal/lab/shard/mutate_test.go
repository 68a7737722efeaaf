package shard

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/damage"
)

// A damaged plan, even one with a correct hash, must be rejected with a one-line error, or still be
// a plan that can be carried out. A damaged shard must be rejected in the same way or be valid.
func TestMutatedPlans(t *testing.T) {
	var plans, shards [2]string
	var made [2]Plan
	for i, sweep := range []Sweep{
		{Depths: []int{3}, Workers: []int{0}, Repetitions: 2, Runs: 1, Seed: 1},
		{Depths: []int{10, 12}, Workers: []int{1, 2}, Repetitions: 3, Runs: 5, Warmup: 1, Seed: 7, Contenders: "a,b", Class: "open", GOGC: "50,off", Complete: true},
	} {
		p, err := New(Plan{Experiment: "x", Command: "coppice lab plan x", Declaration: "d", Binary: "b", Revision: "r+", Sweep: sweep, Shards: 2})
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Join(t.TempDir(), fmt.Sprint(i))
		if err := Write(p, Place{Folder: folder, Root: t.TempDir(), Binary: os.Args[0], Image: "golang"}); err != nil {
			t.Fatal(err)
		}
		plans[i], shards[i], made[i] = filepath.Join(folder, PlanFile), File(folder, 1), p
	}
	folder := t.TempDir()
	if err := os.MkdirAll(filepath.Join(folder, shardsFolder), 0o777); err != nil {
		t.Fatal(err)
	}
	oneLine := func(err error) error {
		if err != nil && (strings.Contains(err.Error(), "\n") || len(err.Error()) > 1000) {
			return fmt.Errorf("not one line: %q", err)
		}
		return nil
	}
	seal := func(b []byte) {
		var p Plan
		if json.Unmarshal(b, &p) == nil && p.Hash != "" && len(p.Hash) == len(p.hash()) {
			copy(b, strings.Replace(string(b), p.Hash, p.hash(), 1))
		}
	}
	damage.Mutate(t, damage.Format{Sound: plans[:], Seal: seal, Text: true, Try: func(m damage.Mutant) error {
		if err := os.Rename(m.Path, filepath.Join(folder, PlanFile)); err != nil {
			return err
		}
		p, err := Read(folder)
		if err == nil {
			for i := range min(p.Shards, 3) {
				if s := p.Shard(i); len(s.Sessions) == 0 {
					return fmt.Errorf("shard %d has no sessions", i)
				}
				if _, err := p.Complete(folder, i); oneLine(err) != nil {
					return err
				}
			}
		}
		if err := oneLine(err); err != nil {
			return err
		}
		return os.WriteFile(m.Path, nil, 0o666) // for Mutate to remove
	}})
	damage.Mutate(t, damage.Format{Sound: shards[:], Text: true, Try: func(m damage.Mutant) error {
		data, err := os.ReadFile(m.Path)
		if err == nil {
			err = os.WriteFile(File(folder, 1), data, 0o666)
		}
		if err != nil {
			return err
		}
		_, err = made[m.Origin].ReadShard(folder, 1)
		return oneLine(err)
	}})
}

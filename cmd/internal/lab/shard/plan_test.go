package shard

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/coppice-go/coppice/internal/testkit/random"
)

// planned returns a plan of 12 sessions in the given number of shards.
func planned(t testing.TB, shards int) Plan {
	t.Helper()
	p, err := New(Plan{
		Made: time.Unix(1e9, 0).UTC(), Command: "coppice lab plan x -class 'a<b\xff'", Experiment: "x", Revision: "0123456789ab",
		Sweep: Sweep{Depths: []int{3, 9, 5}, Workers: []int{1, 2}, Repetitions: 2, Runs: 4, Warmup: 1, Seed: 7}, Shards: shards,
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// written writes a plan to a new folder and returns its path.
func written(t testing.TB, p Plan) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "plan")
	if err := Write(p, Place{Folder: folder, Root: t.TempDir(), Binary: os.Args[0], Image: "golang"}); err != nil {
		t.Fatal(err)
	}
	return folder
}

// TestEachSessionIsInOneShard verifies that each session of a sweep is in exactly one shard and has
// its own seed. The sizes of two shards differ by at most one, and within a shard, depths never
// increase.
func TestEachSessionIsInOneShard(t *testing.T) {
	random.Check(t, func(t *rapid.T) {
		axis := rapid.SliceOfNDistinct(rapid.IntRange(0, 40), 1, 6, rapid.ID)
		s := Sweep{Depths: axis.Draw(t, "depths"), Workers: axis.Draw(t, "workers"), Repetitions: rapid.IntRange(1, 7).Draw(t, "repetitions"), Runs: 1, Seed: 1}
		p, err := New(Plan{Sweep: s, Shards: rapid.IntRange(1, s.Sessions()).Draw(t, "shards")})
		if err != nil {
			t.Fatal(err)
		}
		seen, seeds := map[[3]int]bool{}, map[uint64]bool{}
		for i := range p.Shards {
			sessions := p.Shard(i).Sessions
			if n := len(sessions); n < s.Sessions()/p.Shards || n > s.Sessions()/p.Shards+1 {
				t.Fatalf("shard %d of %d has %d sessions of %d", i, p.Shards, n, s.Sessions())
			}
			for k, session := range sessions {
				if k > 0 && session.Depth > sessions[k-1].Depth {
					t.Fatalf("shard %d: depth %d after %d", i, session.Depth, sessions[k-1].Depth)
				}
				seen[[3]int{session.Depth, session.Workers, session.Repetition}] = true
				seeds[session.Seed] = true
			}
		}
		if len(seen) != s.Sessions() || len(seeds) != s.Sessions() {
			t.Fatalf("%d sessions and %d seeds, want %d", len(seen), len(seeds), s.Sessions())
		}
	})
}

func TestNewRefuses(t *testing.T) {
	many := Sweep{Depths: []int{1}, Workers: []int{0}, Repetitions: MostSessions + 1, Runs: 1}
	for want, p := range map[string]Plan{
		"the sweep has no sessions":  {Shards: 1},
		"more than 1000000 sessions": {Sweep: many, Shards: 1},
		"invalid -shards 13: must be between 1 and the number of sessions, 12 (de": {Sweep: planned(t, 1).Sweep, Shards: 13},
	} {
		if _, err := New(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestReadIsWhatWasWritten(t *testing.T) {
	p := planned(t, 5)
	folder := written(t, p)
	got, err := Read(folder)
	if err != nil || got.Hash != p.Hash || got.Command != p.Command || !got.Made.Equal(p.Made) {
		t.Fatalf("%+v, %v, want %+v", got, err, p)
	}
	for i := range p.Shards {
		if _, err := got.ReadShard(folder, i); err != nil {
			t.Error(err)
		}
	}
	if err := Write(p, Place{Folder: folder, Root: folder, Binary: os.Args[0]}); err == nil || !strings.Contains(err.Error(), "nothing was overwritten; name another folder with -out") {
		t.Errorf("a second plan: %v", err)
	}
}

// A plan whose writing was interrupted is written again. A folder with any other contents must not
// be changed.
func TestWriteKeepsForeignFiles(t *testing.T) {
	p := planned(t, 5)
	folder := written(t, p)
	place := Place{Folder: folder, Root: folder, Binary: os.Args[0]}
	if err := os.Remove(filepath.Join(folder, PlanFile)); err != nil {
		t.Fatal(err)
	}
	if err := Write(p, place); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"results", BinaryFile, "notes.txt"} {
		place.Folder = filepath.Join(t.TempDir(), "others")
		if err := os.MkdirAll(filepath.Join(place.Folder, name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := Write(p, place); err == nil || !strings.Contains(err.Error(), "has a "+name+"; nothing was overwritten") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A plan that was truncated at any byte, or edited, must be rejected with a one-line error.
func TestReadRejectsChangedPlan(t *testing.T) {
	p := planned(t, 5)
	folder := written(t, p)
	name := filepath.Join(folder, PlanFile)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	bad := map[string]string{
		strings.Replace(string(text), `"runs": 4`, `"runs": 5`, 1):                    "was changed after it was made",
		strings.Replace(string(text), `"schema": 1`, `"schema": 2`, 1):                "has schema 2; this program reads schema 1",
		strings.Replace(string(text), `"runs"`, `"rnus"`, 1):                          `unknown key "rnus"`,
		strings.Replace(string(text), `"repetitions": 2`, `"repetitions": "two"`, 1):  "is not a plan of the lab",
		strings.Replace(string(text), `"repetitions": 2`, `"repetitions": 1e300`, 1):  "is not a plan of the lab",
		strings.Replace(string(text), `"hash": "`+p.Hash, `"hash": "`+p.Hash[:15], 1): "was changed after it was made",
	}
	for n := range len(text) - 1 { // all but the final newline
		bad[string(text[:n])] = ""
	}
	for text, want := range bad {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(folder); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %s, in one line", err, want)
		}
	}
	forged := p // with a correct hash
	forged.Shards = 13
	forged.Hash = forged.hash()
	if err := writeJSON(name, forged); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(folder); err == nil || !strings.Contains(err.Error(), "invalid number of shards 13: must be between 1 and the number of sessions, 12") {
		t.Errorf("%v", err)
	}
}

func TestReadShardRejectsMismatch(t *testing.T) {
	p := planned(t, 5)
	folder := written(t, p)
	other := p.Shard(3)
	other.Sessions[0].Seed++
	for i, text := range map[int]string{0: "", 1: `{"schema":1}`, 2: "null"} {
		if err := os.WriteFile(File(folder, i), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := writeJSON(File(folder, 3), other); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(File(folder, 4)); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		if _, err := p.ReadShard(folder, i); err == nil || !strings.HasSuffix(err.Error(), "plan again, into another folder") || strings.Contains(err.Error(), "\n") {
			t.Errorf("shard %d: %v", i, err)
		}
	}
}

func TestTarget(t *testing.T) {
	folder := written(t, planned(t, 12))
	for _, c := range []struct {
		text, environment string
		number            int
		err               string
	}{
		{"/7", "", 7, ""},
		{"/7/", "", 7, ""},
		{"/7", "SLURM_ARRAY_TASK_ID=3", 7, ""},
		{"", "SLURM_ARRAY_TASK_ID=3", 3, ""},
		{"", "JOB_COMPLETION_INDEX=0", 0, ""},
		{"", "SLURM_ARRAY_TASK_ID=4 JOB_COMPLETION_INDEX=4", 4, ""},
		{"", "SLURM_ARRAY_TASK_ID=4 JOB_COMPLETION_INDEX=5", 0, "SLURM_ARRAY_TASK_ID is 4, but JOB_COMPLETION_INDEX is 5; name the shard, such as -shard "},
		{"", "SLURM_ARRAY_TASK_ID=four", 0, `SLURM_ARRAY_TASK_ID is "four", which is not a shard number`},
		{"", "", 0, ": this is a plan, but neither "},
		{"/7x", "", 0, "want DIR/NUMBER"},
		{"/none", "JOB_COMPLETION_INDEX=1", 0, "want DIR/NUMBER"},
	} {
		getenv := func(name string) string {
			for set := range strings.FieldsSeq(c.environment) {
				if value, ok := strings.CutPrefix(set, name+"="); ok {
					return value
				}
			}
			return ""
		}
		got, i, err := Target(folder+c.text, getenv)
		if c.err == "" && (err != nil || got != folder || i != c.number) {
			t.Errorf("%s with %s: %s, %d, %v", c.text, c.environment, got, i, err)
		}
		if c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s with %s: %v, want %s", c.text, c.environment, err, c.err)
		}
	}
}

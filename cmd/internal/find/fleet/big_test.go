package fleet

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/coppice-go/coppice/internal/machine"
	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

// sampled returns a heap profile as large as those of a medium-sized service: 886 stacks of 20
// frames, 30 KB compressed.
func sampled(t *testing.T, seed uint64) []byte {
	t.Helper()
	shape := rand.New(rand.NewPCG(1, 2)) // the same for all seeds: a fleet runs one program
	values := rand.New(rand.NewPCG(seed, 3))
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "alloc_objects", Unit: "count"}, {Type: "alloc_space", Unit: "bytes"},
			{Type: "inuse_objects", Unit: "count"}, {Type: "inuse_space", Unit: "bytes"}},
		PeriodType: &profile.ValueType{Type: "space", Unit: "bytes"}, Period: 512 << 10, TimeNanos: time.Now().UnixNano(),
	}
	for i := range 1000 {
		f := &profile.Function{ID: uint64(i + 1), Name: fmt.Sprintf("example.com/service/part%d.(*Type%d).Method%d", i%50, i%200, i),
			Filename: fmt.Sprintf("/build/service/part%d/file%d.go", i%50, i%100)}
		p.Function = append(p.Function, f)
		p.Location = append(p.Location, &profile.Location{ID: uint64(i + 1), Address: uint64(0x400000 + i*64),
			Line: []profile.Line{{Function: f, Line: int64(i)}}})
	}
	var last []*profile.Location
	for range 886 {
		// A stack differs from the preceding one in only a few frames, because stacks are sorted by
		// call tree.
		s := &profile.Sample{}
		for range 1 + shape.IntN(3) {
			s.Location = append(s.Location, p.Location[shape.IntN(len(p.Location))])
		}
		if last == nil {
			last = p.Location[:20]
		}
		s.Location = append(s.Location, last[len(s.Location):]...)
		last = s.Location
		n, size := values.Int64N(100), int64(16)<<shape.IntN(10)
		s.Value = []int64{n, n * size, n / 10, n / 10 * size}
		p.Sample = append(p.Sample, s)
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestTenThousand verifies that reading ten thousand profiles takes less than 30 s and 400 MB. At
// partial size it reads only a thousand profiles, and checks only the memory.
func TestTenThousand(t *testing.T) {
	testsize.OnlyInFull(t, "it reads 10,000 profiles")
	dir := t.TempDir()
	const distinct = 50
	part := os.Getenv(testsize.Variable) == "part"
	count := 10_000
	if part {
		count = 1000
	}
	var size int
	for i := range count {
		file := filepath.Join(dir, fmt.Sprintf("pod-%d.pb.gz", i))
		if i < distinct {
			data := sampled(t, uint64(i))
			size = len(data)
			if err := os.WriteFile(file, data, 0o666); err != nil {
				t.Fatal(err)
			}
		} else if err := os.Link(filepath.Join(dir, fmt.Sprintf("pod-%d.pb.gz", i%distinct)), file); err != nil {
			t.Fatal(err)
		}
	}
	start, before := time.Now(), usage(t)
	r, err := Read(context.Background(), []string{dir}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(start)
	after := usage(t)
	used := after.CPU() - before.CPU()
	t.Logf("%d profiles of %d KB: %.1f s, %.1f s of CPU, %d MB at most, %d sites", r.Profiles, size>>10, took.Seconds(), used.Seconds(), after.PeakRSS>>20, len(r.Groups[0].Sites))
	if r.Profiles != count || r.Bad != 0 || len(r.Groups) != 1 {
		t.Errorf("%d profiles, %d bad, %d groups", r.Profiles, r.Bad, len(r.Groups))
	}
	// Half of the CPU time is the elapsed time on two processors that are otherwise idle.
	if !part && used/2 > 30*time.Second || after.PeakRSS > 400<<20 {
		t.Errorf("it took %v of CPU and %d MB; want less than 60 s and 400 MB", used, after.PeakRSS>>20)
	}
}

func usage(t *testing.T) machine.Usage {
	t.Helper()
	u, err := machine.OwnUsage()
	if err != nil {
		t.Skip(err)
	}
	return u
}

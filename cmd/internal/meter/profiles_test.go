package meter

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/pprof/profile"
)

func parseProfile(t *testing.T, file string) *profile.Profile {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil {
		t.Fatalf("%s: %v", filepath.Base(file), err)
	}
	return p
}

// in sums a value of a profile over the samples that a function of the module allocated or spent.
func in(p *profile.Profile, function string, value int) (sum int64) {
	for _, s := range p.Sample {
		for _, line := range s.Location[0].Line {
			if line.Function.Name == function {
				sum += s.Value[value]
				break
			}
		}
	}
	return sum
}

// The values of a heap profile.
const (
	allocated = 0 // objects
	inUse     = 2
)

func TestHeapProfiles(t *testing.T) {
	eachToolchain(t, func(t *testing.T) {
		binary := built(t, "heap", "-gcflags=-l")
		name := filepath.Join(t.TempDir(), "heap")
		const n = 100
		measure(t, binary, "^BenchmarkFates$", []string{HeapEnv + "=" + name}, "-test.benchtime=100x", "-test.memprofilerate=1")
		start, held, dropped := parseProfile(t, name+HeapStart), parseProfile(t, name+HeapHeld), parseProfile(t, name+HeapDropped)
		for function, want := range map[string][3]int64{ // allocated, in use while held, and after
			"m.temporaries": {10 * n, 0, 0},
			"m.result":      {5 * n, 5 * n, 0},
			"m.setup":       {0, 0, 0},
		} {
			got := [3]int64{
				in(held, function, allocated) - in(start, function, allocated), in(held, function, inUse) - in(start, function, inUse),
				in(dropped, function, inUse) - in(start, function, inUse),
			}
			if got != want {
				t.Errorf("%s: %v, want %v", function, got, want)
			}
		}
		stay := in(dropped, "m.retained", inUse) - in(start, "m.retained", inUse)
		if stay < n-1 || stay > n+1 { // the slice that holds them is one of them, before and after
			t.Errorf("%d of %d stay", stay, n)
		}
	})
}

// The mean number in use at random moments, over the number that an operation makes, is the mean
// age in operations: three for results, and four between a new one and the end of the one that it
// replaces. Nothing is allocated during a collection that stops the world, so nothing is found that
// died before it, except what the call in progress has in a variable and in a register.
func TestHeapAtRandomMoments(t *testing.T) {
	const moments = 8
	name := filepath.Join(t.TempDir(), "heap")
	env := []string{
		HeapEnv + "=" + name, MomentsEnv + "=" + strconv.Itoa(moments), "LAST_MOMENT=" + strconv.Itoa(moments-1),
		"GODEBUG=gcstoptheworld=1", "GOGC=off", // the collections of the meter are the only ones
	}
	measure(t, built(t, "heap", "-gcflags=-l"), "^BenchmarkHolds$", env, "-test.benchtime=1x", "-test.memprofilerate=1")
	before := in(parseProfile(t, name+HeapStart), "m.result", allocated)
	for moment := range moments {
		p := parseProfile(t, name+HeapMoment+strconv.Itoa(moment))
		results, temporaries := in(p, "m.result", inUse), in(p, "m.temporaries", inUse)
		if results < 3*5 || results > 4*5 || temporaries > 2 {
			t.Errorf("moment %d: %d results and %d temporaries, want 15 to 20 and at most 2", moment, results, temporaries)
		}
		if moment == moments-1 && in(p, "m.result", allocated) == before {
			t.Error("the last moment is that of the start")
		}
	}
}

// Only the samples since the timer was last reset, while it runs, have the greatest label.
func TestLabels(t *testing.T) {
	binary := built(t, "heap", "-gcflags=-l")
	file := filepath.Join(t.TempDir(), "cpu")
	measure(t, binary, "^BenchmarkTimed$", []string{LabelEnv + "=1"}, "-test.benchtime=20x", "-test.cpuprofile="+file)
	p := parseProfile(t, file)
	last := 0
	counts := map[string]map[int]int64{"m.spin": {}, "m.stopped": {}}
	for _, s := range p.Sample {
		function, reset := s.Location[0].Line[0].Function.Name, 0
		if labels := s.Label[Label]; len(labels) == 1 {
			reset, _ = strconv.Atoi(labels[0])
		}
		if counts[function] != nil {
			counts[function][reset] += s.Value[0]
			last = max(last, reset)
		}
	}
	if last == 0 || counts["m.spin"][last] == 0 || counts["m.stopped"][last] > 0 || counts["m.stopped"][0] == 0 || counts["m.spin"][0] > 0 {
		t.Errorf("%v", counts)
	}
}

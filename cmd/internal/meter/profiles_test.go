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

// sumOf returns the sum of s.Value[value] over all samples s whose innermost frame contains the
// function.
func sumOf(p *profile.Profile, function string, value int) (sum int64) {
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

// These are indexes of values in a sample of a heap profile.
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
				sumOf(held, function, allocated) - sumOf(start, function, allocated), sumOf(held, function, inUse) - sumOf(start, function, inUse),
				sumOf(dropped, function, inUse) - sumOf(start, function, inUse),
			}
			if got != want {
				t.Errorf("%s: %v, want %v", function, got, want)
			}
		}
		stay := sumOf(dropped, "m.retained", inUse) - sumOf(start, "m.retained", inUse)
		if stay < n-1 || stay > n+1 { // the array of the slice kept is counted too
			t.Errorf("%d of %d stay", stay, n)
		}
	})
}

// TestHeapAtRandomMoments checks how many objects are in use at random moments. That number,
// divided by the number of objects per operation, is the mean lifetime in operations: three for
// results, or four between the creation of a result and the removal of the one that it replaces.
// Since the collector stops the world, the profile contains no dead objects, except for the one or
// two that the running call still holds in a variable or a register.
func TestHeapAtRandomMoments(t *testing.T) {
	const moments = 8
	name := filepath.Join(t.TempDir(), "heap")
	env := []string{
		HeapEnv + "=" + name, MomentsEnv + "=" + strconv.Itoa(moments), "LAST_MOMENT=" + strconv.Itoa(moments-1),
		"GODEBUG=gcstoptheworld=1", "GOGC=off", // only the meter runs the collector
	}
	measure(t, built(t, "heap", "-gcflags=-l"), "^BenchmarkHolds$", env, "-test.benchtime=1x", "-test.memprofilerate=1")
	before := sumOf(parseProfile(t, name+HeapStart), "m.result", allocated)
	for moment := range moments {
		p := parseProfile(t, name+HeapMoment+strconv.Itoa(moment))
		results, temporaries := sumOf(p, "m.result", inUse), sumOf(p, "m.temporaries", inUse)
		if results < 3*5 || results > 4*5 || temporaries > 2 {
			t.Errorf("moment %d: %d results and %d temporaries, want 15 to 20 and at most 2", moment, results, temporaries)
		}
		if moment == moments-1 && sumOf(p, "m.result", allocated) == before {
			t.Error("the last moment is that of the start")
		}
	}
}

// TestLabels verifies that the greatest label marks the samples that were taken since the last
// reset of the timer, and only while it was running.
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

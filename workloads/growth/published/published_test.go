package published

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// asContender runs the test binary as the lab does, but for only a few iterations.
func asContender(t *testing.T, benchmark string, args ...string) (stdout string, figures map[string]float64, err error) {
	t.Helper()
	report := filepath.Join(t.TempDir(), "report.json")
	args = append([]string{"-test.run=^$", "-test.bench=^" + benchmark + "$", "-test.benchtime=5000x", "-report=" + report}, args...)
	var stderr strings.Builder
	command := exec.Command(os.Args[0], args...)
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		return string(out) + stderr.String(), nil, err
	}
	data, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &figures); err != nil {
		t.Fatal(err)
	}
	return string(out), figures, nil
}

// TestBothWaysToAsk verifies that each benchmark prints the same answer as all other programs, and
// that b.ReportAllocs and -test.benchmem give the same counts.
func TestBothWaysToAsk(t *testing.T) {
	answer, err := exec.Command("go", "run", "../go", "-way", "assign", "1000").Output()
	if err != nil {
		t.Fatal(err)
	}
	type counts struct{ leastAllocs, mostAllocs, leastBytes, mostBytes float64 }
	grown := counts{3, 12, 2000, 4096}
	none := counts{0, 0, 0, 16} // the compiler keeps the array on the stack
	one := counts{1, 1, 1024, 1040}
	for benchmark, want := range map[string]counts{
		"BenchmarkAppendToNil": grown, "BenchmarkAppendToMake": none, "BenchmarkAssign": none,
		"BenchmarkAppendToNilKept": grown, "BenchmarkAppendToMakeKept": one, "BenchmarkAssignKept": one,
	} {
		asked := make([]map[string]float64, 0, 2)
		for _, how := range []string{"-call", "-test.benchmem"} {
			out, figures, err := asContender(t, benchmark, how, "1000")
			if err != nil || out != string(answer) {
				t.Fatalf("%s %s: %v, printed %q, want %q", benchmark, how, err, out, answer)
			}
			asked = append(asked, figures)
			if figures["iterations"] != 5000 || figures["procs"] < 1 || figures["op_s"] <= 0 || figures["op_s"] > 0.1 {
				t.Errorf("%s %s: %v", benchmark, how, figures)
			}
			allocs, bytes := figures["op_allocs"], figures["op_bytes"]
			if allocs < want.leastAllocs || allocs > want.mostAllocs || bytes < want.leastBytes || bytes > want.mostBytes {
				t.Errorf("%s %s: %v allocations of %v bytes", benchmark, how, allocs, bytes)
			}
		}
		// Package testing truncates the figures, which include a few allocations by the runtime.
		for metric, most := range map[string]float64{"op_allocs": 1, "op_bytes": 16} {
			if math.Abs(asked[0][metric]-asked[1][metric]) > most {
				t.Errorf("%s: %s is %v by ReportAllocs, and %v by -test.benchmem", benchmark, metric, asked[0][metric], asked[1][metric])
			}
		}
	}
}

// TestAFewBools verifies that the programs work with a small number of bools, which the lab uses to
// check them.
func TestAFewBools(t *testing.T) {
	for _, benchmark := range []string{"BenchmarkAppendToNil", "BenchmarkAssignKept"} {
		if out, _, err := asContender(t, benchmark, "-call", "8"); err != nil || out != "8 bools, 4 true\n" {
			t.Errorf("%s: %v, printed %q", benchmark, err, out)
		}
	}
}

// TestWhatIsRefused verifies that a run that requests no allocation counts fails, and that invalid
// arguments result in a one-line error.
func TestWhatIsRefused(t *testing.T) {
	if out, _, err := asContender(t, "BenchmarkAssign", "1000"); err == nil || !strings.Contains(out, "ask for allocations by -call or -test.benchmem") {
		t.Errorf("without a way to ask: %v, %q", err, out)
	}
	if out, _, err := asContender(t, "Benchmark.*", "-call", "1000"); err == nil || !strings.Contains(out, "more than one benchmark") {
		t.Errorf("with three benchmarks: %v, %q", err, out)
	}
	for _, count := range []string{"ten", "-1", ""} {
		if out, _, err := asContender(t, "BenchmarkAssign", "-call", count); err == nil || strings.Count(out, "\n") != 1 || !strings.Contains(out, usage) {
			t.Errorf("count %q: %v, %q", count, err, out)
		}
	}
}

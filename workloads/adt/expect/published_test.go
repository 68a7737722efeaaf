package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestPublishedPrograms verifies that the published C++ programs print the expected answer. It also
// verifies that they report the means of the first five rounds, and the figures of the first round
// separately.
func TestPublishedPrograms(t *testing.T) {
	if _, err := exec.LookPath("c++"); err != nil {
		t.Skip("there is no c++; g++ brings it")
	}
	headers, err := filepath.Glob("../cpp/*.[hc]pp")
	if err != nil || len(headers) == 0 {
		t.Fatal(headers, err)
	}
	for _, name := range headers { // makes the headers inputs of the cached test result
		if _, err := os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	bin := filepath.Join(t.TempDir(), "adt")
	build := exec.Command("c++", "-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", "-Icpp/include", "-o", bin, "workloads/adt/cpp/main.cpp")
	build.Dir = "../../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want, err := exec.Command("go", "run", ".", "15").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"malloc-published", "buffer-published"} {
		report := filepath.Join(t.TempDir(), "report.json")
		got, err := exec.Command(bin, name, "-report="+report, "15").Output()
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %v, printed\n%swant\n%s", name, err, got, want)
		}
		data, err := os.ReadFile(report)
		if err != nil {
			t.Fatal(err)
		}
		figures := map[string]float64{}
		if err := json.Unmarshal(data, &figures); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, data)
		}
		checkMeans(t, name, figures)
	}
}

func checkMeans(t *testing.T, name string, figures map[string]float64) {
	t.Helper()
	var totals []float64
	for _, phase := range []string{"generate_s", "copy_s", "delete_s", "total_s"} {
		var sum float64
		for _, round := range []string{"round1_", "round2_", "round3_", "round4_", "round5_"} {
			sum += figures[round+phase]
			if phase == "total_s" {
				totals = append(totals, figures[round+phase])
			}
		}
		near(t, name+": mean "+phase, figures[phase], sum/5)
		near(t, name+": first "+phase, figures["first_"+phase], figures["round1_"+phase])
	}
	near(t, name+": first_to_later", figures["first_to_later"], 4*totals[0]/(totals[1]+totals[2]+totals[3]+totals[4]))
	near(t, name+": even_to_odd", figures["even_to_odd"], (totals[1]+totals[3])/(totals[2]+totals[4]))
	var squares float64
	for _, total := range totals {
		squares += (total - figures["total_s"]) * (total - figures["total_s"])
	}
	near(t, name+": total_sd_s", figures["total_sd_s"], math.Sqrt(squares/4))
	if figures["harness_s"] <= 0 || figures["virtual_bytes"] <= 0 {
		t.Errorf("%s: harness %v s, %v bytes", name, figures["harness_s"], figures["virtual_bytes"])
	}
}

// near compares two figures with a tolerance, because a report has only nine decimals.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-6+1e-4*math.Abs(want) || want <= 0 {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

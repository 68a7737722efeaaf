package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestMain lets the test binary stand in for the process that sends the load.
func TestMain(m *testing.M) {
	rate, duration = 200, 500*time.Millisecond
	if len(os.Args) == 4 && os.Args[1] == "-load" {
		if err := sendLoad(os.Args[2], 1<<10, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// TestMeasure verifies that all forms of the service print the same answer, and report all figures
// that contenders.toml declares.
func TestMeasure(t *testing.T) {
	declared, err := os.ReadFile("../contenders.toml")
	if err != nil {
		t.Fatal(err)
	}
	first := ""
	for _, form := range names() {
		var out strings.Builder
		report := filepath.Join(t.TempDir(), "report")
		if err := measure(form, 10, report, &out); err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = out.String()
		}
		if !strings.HasPrefix(first, "1000 answers, checksum ") || out.String() != first {
			t.Errorf("%s prints %q, others %q", form, out.String(), first)
		}
		text, err := os.ReadFile(report)
		if err != nil {
			t.Fatal(err)
		}
		var figures map[string]float64
		if err := json.Unmarshal(text, &figures); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(declared)) {
			name, ok := strings.CutPrefix(line, `metric = "`)
			name = strings.Trim(name, "\"\n")
			if v, there := figures[name]; ok && (!there || v < 0 || v == 0 && name != "gc_cpu_s") {
				t.Errorf("%s: %s is %v", form, name, v)
			}
		}
	}
}

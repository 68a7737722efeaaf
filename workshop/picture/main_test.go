package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const kept = "../../docs/results/binary-trees/runs.jsonl"

// TestPictureOfTheReadme verifies that the committed picture is what run draws from the committed
// runs. With COPPICE_UPDATE=1 it writes the picture first.
func TestPictureOfTheReadme(t *testing.T) {
	const file = "../../docs/picture.svg"
	var stdout, stderr bytes.Buffer
	if code := run([]string{kept}, &stdout, &stderr); code != 0 {
		t.Fatal(&stderr)
	}
	if os.Getenv("COPPICE_UPDATE") != "" {
		if err := os.WriteFile(file, stdout.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(want, stdout.Bytes()) {
		t.Errorf("docs/picture.svg is not drawn from these runs (%v); COPPICE_UPDATE=1 go test ./workshop/picture draws it", err)
	}
}

// TestBars verifies that a bar starts at zero, and that its length is proportional to the median.
func TestBars(t *testing.T) {
	times := map[string][]float64{}
	for _, s := range shown {
		times[s.contender] = []float64{2, 1, 100}
	}
	times["go naive"] = []float64{3, 9, 5, 3}
	var out strings.Builder
	if err := draw(&out, times, share{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`width="425.0"`, ">4 s<", `width="212.5"`, ">2 s<"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in\n%s", want, &out)
		}
	}
	if n := strings.Count(out.String(), `text-anchor="end"`); n != len(shown) {
		t.Errorf("%d names end where bars begin, want all %d", n, len(shown))
	}
}

// TestBusyMachine verifies that the picture contains a note if any runs that it shows were measured
// on a busy machine. Runs of other programs must have no influence.
func TestBusyMachine(t *testing.T) {
	for _, test := range []struct {
		loads [2]string
		want  string
	}{
		{[2]string{`"load": "1.00 9 9 1/1 1", "load-now": "0.10"`, `"load": "0.3 9 9 1/1 1"`}, ""},
		{[2]string{`"load": "8.05 9 9 1/1 1"`, `"load": "1.01 9 9 1/1 1"`}, "measured on a busy machine"},
		{[2]string{`"load": "0.5 9 9 1/1 1"`, `"load": "1.01 9 9 1/1 1"`}, "partly measured on a busy machine"},
		{[2]string{`"load": "0.5 9 9 1/1 1"`, `"load": "0.5 9 9 1/1 1", "load-now": "1.50"`}, "partly measured on a busy machine"},
	} {
		file := filepath.Join(t.TempDir(), "runs.jsonl")
		text := ""
		for i, load := range append(test.loads[:], `"load": "99 9 9 1/1 1"`) {
			const run = `{"session": "%d", "contender": %q, "depth": 21, "workers": 1, "round": %d, "status": %q, "figures": {"cpu": 2}}` + "\n"
			contender := []string{"go slab plain", "go naive", "another"}[i]
			text += fmt.Sprintf(`{"session": "%d", "values": {"cores": "2", %s}}`+"\n", i, load)
			text += fmt.Sprintf(run, i, contender, 1, "ok") + fmt.Sprintf(run, i, contender, 0, "ok") + fmt.Sprintf(run, i, contender, 2, "crashed")
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, busy, err := read(file); err != nil || busy.String() != test.want || busy.all != 2 {
			t.Errorf("%q: %q, %+v, %v; want %q", test.loads, busy, busy, err, test.want)
		}
	}
}

func TestNoRuns(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "runs.jsonl")
	if err := os.WriteFile(empty, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]int{"": 2, empty: 1, "no/such/file": 1} {
		var stdout, stderr strings.Builder
		if code := run(strings.Fields(args), &stdout, &stderr); code != want || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("picture %q: exit code %d, want %d; %q", args, code, want, &stderr)
		}
	}
}

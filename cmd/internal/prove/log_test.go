package prove

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/prove/measure"
)

func TestLogResumes(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "kept")
	k := key{Schema: logSchema, Programs: []map[string]string{{"p": "1"}, {"p": "2"}}, Operations: map[string]int{"p.BenchmarkX": 7}}
	runs := []measure.Run{
		{Subject: "p.BenchmarkX", Figures: map[string]float64{"cpu": 1.5}},
		{Subject: "p.BenchmarkX", Side: 1, Order: 1, Figures: map[string]float64{"cpu": 2.5}},
	}
	l, err := openLog(folder, k)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range runs {
		if err := l.add(r); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := openLog(folder, k); err == nil || !strings.Contains(err.Error(), "in use by another run") {
		t.Errorf("a second proof at once: %v", err)
	}
	l.close()

	name := filepath.Join(folder, runsFile)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, append(text, `{"subject": "cut o`...), 0o666); err != nil {
		t.Fatal(err)
	}
	if l, err = openLog(folder, k); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(l.done, runs) {
		t.Errorf("%+v was done", l.done)
	}
	if now, _ := os.ReadFile(name); string(now) != string(text) {
		t.Errorf("the file has\n%s", now)
	}
	if err := l.add(runs[0]); err != nil {
		t.Fatal(err)
	}
	l.close()
	if all, err := readRuns(name); err != nil || len(all) != 3 {
		t.Errorf("%d runs, %v", len(all), err)
	}
	if left, _ := filepath.Glob(filepath.Join(folder, "*")); len(left) != 2 {
		t.Errorf("the folder has %v", left)
	}

	other := k
	other.Operations = map[string]int{"p.BenchmarkX": 8}
	for what, keys := range map[string][]key{
		"contains runs of other programs":           {other, {logSchema, k.Programs[:1], k.Operations, nil}},
		"was written by another version of coppice": {{logSchema + 1, k.Programs, k.Operations, nil}, {1, k.Programs, k.Operations, nil}},
	} {
		for _, k := range keys {
			if _, err := openLog(folder, k); err == nil || !strings.HasSuffix(err.Error(), what+"; nothing was overwritten; name another folder with -out") {
				t.Errorf("%+v: %v", k, err)
			}
		}
	}
	if known, ok := readKey(folder); !ok || !reflect.DeepEqual(known, k) {
		t.Errorf("the key is %+v", known)
	}
}

// A folder with other contents must not be changed.
func TestLogOverwritesNothing(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, runsFile)
	if err := os.WriteFile(name, []byte("precious"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := openLog(folder, key{Schema: logSchema, Programs: []map[string]string{{"p": "1"}}}); err == nil || !strings.Contains(err.Error(), "nothing was overwritten") {
		t.Error(err)
	}
	if text, _ := os.ReadFile(name); string(text) != "precious" {
		t.Errorf("the file has %q", text)
	}
	if left, _ := filepath.Glob(filepath.Join(folder, "*")); len(left) != 1 {
		t.Errorf("the folder has %v", left)
	}
}

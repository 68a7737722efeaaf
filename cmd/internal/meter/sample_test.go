package meter

import (
	"reflect"
	"strings"
	"testing"
)

const good = `{"name":"BenchmarkA/b","procs":2,"n":100,"wall":0.5,"cpu":0.25,"gcCPU":0.125,"mallocs":18446744073709551615,"bytes":3,"cycles":4,` +
	`"kept":{"m.f":{"hash":"00ff00ff00ff00ff","values":5,"calls":6,"fields":{"m.node":["left","right"],"m.empty":[]}}}}` + "\n"

func TestRead(t *testing.T) {
	want := Sample{Name: "BenchmarkA/b", Procs: 2, N: 100, Wall: 0.5, CPU: 0.25, GCCPU: 0.125, Mallocs: 1<<64 - 1, Bytes: 3, Cycles: 4,
		Kept: map[string]Kept{"m.f": {Hash: "00ff00ff00ff00ff", Values: 5, Calls: 6, Fields: map[string][]string{"m.node": {"left", "right"}, "m.empty": {}}}}}
	got, err := Read(strings.NewReader(good + good))
	if err != nil || len(got) != 2 || !reflect.DeepEqual(got[0], want) || !reflect.DeepEqual(got[1], want) {
		t.Errorf("%+v, %v, want twice %+v", got, err, want)
	}
	if got, err := Read(strings.NewReader("")); err != nil || len(got) != 0 {
		t.Errorf("%v, %v of nothing", got, err)
	}
}

// TestReadRefuses verifies that Read rejects a file with an invalid second line, and returns the
// sample from the first.
func TestReadRefuses(t *testing.T) {
	change := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("no %q to change", old)
		}
		return strings.Replace(good, old, new, 1)
	}
	for name, c := range map[string]struct{ line, want string }{
		"empty":          {"\n", "not a sample"},
		"text":           {"BenchmarkA 100 5 ns/op\n", "not a sample"},
		"null":           {"null\n", `invalid name "": must begin with Benchmark`},
		"list":           {"[]\n", "not a sample"},
		"two in a line":  {strings.TrimSpace(good) + good, "trailing data"},
		"cut":            {good[:len(good)/2], "not a sample"},
		"unknown field":  {change(`"n":`, `"m":`), "not a sample"},
		"no name":        {change("BenchmarkA", "TestA"), `"TestA/b"`},
		"no operations":  {change(`"n":100`, `"n":0`), "0 operations"},
		"no processors":  {change(`"procs":2`, `"procs":-1`), "on -1 processors: both must"},
		"no time":        {change(`"cpu":0.25`, `"cpu":-1`), "-1 seconds"},
		"too much time":  {change(`"wall":0.5`, `"wall":1e300`), "1e+300 seconds"},
		"too great":      {change(`"gcCPU":0.125`, `"gcCPU":1e999`), "not a sample"},
		"no count":       {change(`"cycles":4`, `"cycles":-4`), "not a sample"},
		"great count":    {change(`"cycles":4`, `"cycles":4294967296`), "not a sample"},
		"no hash":        {change("00ff00ff00ff00ff", "00FF00ff00ff00ff"), `invalid site "m.f" with hash`},
		"long hash":      {change("00ff00ff00ff00ff", "00ff00ff00ff00ff0"), `invalid site "m.f" with hash`},
		"no calls":       {change(`"calls":6`, `"calls":0`), "of 0 calls"},
		"deep":           {strings.Repeat("[", 1e6) + "\n", "not a sample"},
		"zeros":          {strings.Repeat("\x00", 100) + "\n", "not a sample"},
		"carriage only":  {"\r\n", "not a sample"},
		"comma too many": {change(`"bytes":3,`, `"bytes":3,,`), "not a sample"},
	} {
		got, err := Read(strings.NewReader(good + c.line + good))
		if err == nil || !strings.HasPrefix(err.Error(), "line 2 of the meter's file: ") || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || len(err.Error()) > 300 {
			t.Errorf("%s: error %v, want one line with %q", name, err, c.want)
		}
		if len(got) != 1 {
			t.Errorf("%s: %d samples before it, want 1", name, len(got))
		}
	}
	if _, err := Read(strings.NewReader(good + strings.TrimSuffix(good, "\n"))); err == nil || !strings.Contains(err.Error(), "line 2 of the meter's file: it is truncated") {
		t.Errorf("error %v of a line without end", err)
	}
	if _, err := Read(strings.NewReader(good + strings.Repeat(" ", longestLine+1) + "\n")); err == nil || !strings.Contains(err.Error(), "line 2 of the meter's file: ") {
		t.Errorf("error %v of a line that is too long", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(good)
	f.Add(good[:40])
	f.Fuzz(func(t *testing.T, text string) {
		samples, err := Read(strings.NewReader(text))
		if err == nil && len(samples) != strings.Count(text, "\n") {
			t.Errorf("%d samples of %d lines, and no error", len(samples), strings.Count(text, "\n"))
		}
		for _, s := range samples {
			if s.N < 1 || s.CPU < 0 || s.Name == "" {
				t.Errorf("%+v", s)
			}
		}
	})
}

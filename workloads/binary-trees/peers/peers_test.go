package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestOutput(t *testing.T) {
	files, err := filepath.Glob("../expected/depth-*.txt")
	if err != nil || len(files) < 5 {
		t.Fatalf("expected outputs: %v, %v", files, err)
	}
	for _, file := range files {
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		depth, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "depth-"), ".txt"))
		if err != nil {
			t.Fatal(err)
		}
		if depth > 13 {
			continue
		}
		for _, s := range strategies {
			for _, workers := range []int{1, 2, 7} {
				t.Run(fmt.Sprintf("alloc=%s/depth=%d/workers=%d", s.name, depth, workers), func(t *testing.T) {
					var out, errs bytes.Buffer
					args := []string{s.name, fmt.Sprintf("-workers=%d", workers), strconv.Itoa(depth)}
					if code := execute(args, &out, &errs); code != 0 || errs.Len() > 0 {
						t.Fatalf("exit code %d: %s", code, &errs)
					}
					if !bytes.Equal(out.Bytes(), want) {
						t.Errorf("printed\n%swant\n%s", &out, want)
					}
				})
			}
		}
	}
}

func TestBadArgumentsAreOneLine(t *testing.T) {
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"", 2, "no strategy given; usage: peers STRATEGY"},
		{"jemalloc 10", 2, `no strategy "jemalloc" in this build; there are modernc, ristretto-allocator, ristretto-buffer`},
		{"modernc", 2, "0 arguments after strategy and flags; give one, the depth"},
		{"modernc 10 11", 2, "2 arguments after strategy and flags"},
		{"modernc ten", 2, `depth "ten" is not a whole number from 0 to 40`},
		{"modernc -1", 2, `depth "-1" is not a whole number`},
		{"modernc 41", 2, `depth "41" is not a whole number`},
		{"modernc -workers=0 10", 2, "-workers=0 is not between 1 and 4096"},
		{"modernc -workers=4097 10", 2, "-workers=4097 is not between"},
		{"modernc -wrokers=2 10", 2, "not defined: -wrokers; usage: peers"},
		{"modernc -help", 2, "usage: peers"},
		{"ristretto-buffer 28", 1, "choose a depth of at most 27"},
	} {
		var out, errs bytes.Buffer
		code := execute(strings.Fields(c.args), &out, &errs)
		if code != c.code || out.Len() > 0 || !strings.Contains(errs.String(), c.want) || strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("peers %s: exit code %d, %q on stdout, %q on stderr; want %d and one line with %q",
				c.args, code, &out, &errs, c.code, c.want)
		}
	}
}

// TestReports verifies the reported number of allocated bytes. A program can print the right
// numbers without doing the work. So where the runtime sees the nodes, it must have allocated at
// least the bytes of the largest tree.
func TestReports(t *testing.T) {
	const depth = 12
	for _, s := range strategies {
		file := filepath.Join(t.TempDir(), "report.json")
		var errs bytes.Buffer
		if code := execute([]string{s.name, "-report=" + file, strconv.Itoa(depth)}, new(bytes.Buffer), &errs); code != 0 {
			t.Fatal(&errs)
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var report map[string]float64
		if err := json.Unmarshal(data, &report); err != nil {
			t.Fatal(err)
		}
		bytes, known := report["bytes"]
		least := float64(zBufferNode * nodes(depth+1))
		if known == s.offHeap || known && bytes < least {
			t.Errorf("%s reports %s; want bytes of at least %.0f, and none off-heap", s.name, data, least)
		}
	}
}

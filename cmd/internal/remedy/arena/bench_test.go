package arena

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write the answers into testdata/caller")

// TestCaller compares the changed benchmarks and the generated tests with those in testdata/caller.
// The last line of an archive's comment contains the name of the function and the number of its
// results.
func TestCaller(t *testing.T) {
	names, err := filepath.Glob("testdata/caller/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			archive := txtar.Parse(data)
			lines := strings.Split(strings.TrimSpace(string(archive.Comment)), "\n")
			function, count, _ := strings.Cut(lines[len(lines)-1], " ")
			results, err := strconv.Atoi(count)
			if err != nil {
				t.Fatal(err)
			}
			got := &txtar.Archive{Comment: archive.Comment, Files: archive.Files[:1]}
			add := func(name string, data []byte, err error) {
				if err != nil {
					name, data = name+" error", fmt.Appendln(nil, err)
				}
				got.Files = append(got.Files, txtar.File{Name: name, Data: data})
			}
			c, err := CallerOf(archive.Files[0].Name, archive.Files[0].Data, "Benchmark"+strings.ToUpper(function[:1])+function[1:], function, Around{Declared: func(name string) bool { return name == "got0" }, Name: path.Base})
			if err != nil {
				add("caller", nil, err)
			} else {
				text, err := c.Text()
				add("changed", text, err)
				test, err := c.Test(results)
				add("test", test, err)
			}
			if *update {
				if err := os.WriteFile(name, txtar.Format(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if out := txtar.Format(got); !bytes.Equal(out, data) {
				t.Errorf("it is\n%s", out)
			}
		})
	}
}

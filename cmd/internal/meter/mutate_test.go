package meter

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/damage"
)

// TestMutatedSamples verifies that Read either rejects a damaged file of samples, with a one-line
// error that names the line, or returns only samples that a run can produce.
func TestMutatedSamples(t *testing.T) {
	const plain = `{"name":"BenchmarkA","procs":2,"n":100,"wall":0.25,"cpu":0.5,"gcCPU":0.125,"mallocs":300,"bytes":4800,"cycles":1,"kept":null}
{"name":"BenchmarkA/sub","procs":2,"n":1,"wall":1,"cpu":1,"gcCPU":0,"mallocs":0,"bytes":0,"cycles":0,"kept":null}
`
	const kept = `{"name":"BenchmarkB","procs":1,"n":7,"wall":0.5,"cpu":0.5,"gcCPU":0,"mallocs":7,"bytes":112,"cycles":0,"kept":{"a":{"hash":"0123456789abcdef","values":7,"calls":1,"fields":{"p.T":["A","B"]}}}}
`
	var sound []string
	sound = slices.Grow(sound, 3)
	for i, text := range []string{plain, kept, plain + kept} {
		name := filepath.Join(t.TempDir(), fmt.Sprint(i))
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		sound = append(sound, name)
	}
	damage.Mutate(t, damage.Format{Sound: sound, Text: true, Try: func(m damage.Mutant) error {
		file, err := os.Open(m.Path)
		if err != nil {
			return err
		}
		defer file.Close()
		samples, err := Read(file)
		if err != nil && (strings.Contains(err.Error(), "\n") || len(err.Error()) > 1000 || !strings.HasPrefix(err.Error(), "line ")) {
			return fmt.Errorf("it is not one line about a line: %q", err)
		}
		for _, s := range samples {
			if !strings.HasPrefix(s.Name, "Benchmark") || s.N < 1 || s.Procs < 1 || s.Wall < 0 || s.CPU < 0 || s.GCCPU < 0 {
				return fmt.Errorf("no run is %+v", s)
			}
		}
		return nil
	}})
}

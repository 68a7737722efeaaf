package gobench

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/meter"
)

// spin is a module whose benchmark uses CPU time and allocates.
var spin = map[string]string{
	"go.mod": "module example.com/spin\n\ngo 1.24\n",
	"spin_test.go": `package spin

import "testing"

var sink []byte

func BenchmarkSpin(b *testing.B) {
	for b.Loop() {
		sum := 0
		for i := range 100000 {
			sum += i ^ sum
		}
		sink = make([]byte, 1000+sum&1)
	}
}
`,
}

// TestWithoutMeter verifies that benchmarks can be measured without a meter. Counts are still
// exact. The CPU time is measured for the whole process, minus what it uses to run no operation.
func TestWithoutMeter(t *testing.T) {
	dir := t.TempDir()
	for name, text := range spin {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	a := &Tree{Folder: t.TempDir(), Plain: true}
	a.Name, a.Dir, a.Work = "plain", dir, "off"
	ctx := context.Background()
	if err := a.Choose(ctx, []string{"."}); err != nil {
		t.Fatal(err)
	}
	if err := a.Build(ctx, []string{"example.com/spin"}); err != nil {
		t.Fatal(err)
	}
	all, err := a.Find(ctx, "example.com/spin", ".")
	if err != nil || len(all) != 1 || all[0].Name != "BenchmarkSpin" {
		t.Fatalf("%+v, %v", all, err)
	}
	for _, procs := range []int{1, 3} { // the benchmarks' own processes may have another GOMAXPROCS
		was := runtime.GOMAXPROCS(procs)
		all, err := a.Find(ctx, "example.com/spin", ".")
		runtime.GOMAXPROCS(was)
		if err != nil || len(all) != 1 || all[0].Name != "BenchmarkSpin" || all[0].Procs != procs {
			t.Errorf("with %d processors %+v, %v", procs, all, err)
		}
	}
	b := &all[0]
	if err := b.Calibrate(ctx, a); err != nil {
		t.Fatal(err)
	}
	if b.N < 1 {
		t.Errorf("%d operations", b.N)
	}
	const operations = 2000 // keeps the process's own allocations below 0.1 B/op
	b.N = operations
	for _, idle := range []float64{0, 1e-6, 1e6} {
		b.idle = map[*Tree]float64{a: idle}
		figures, err := b.Figures(ctx, a, nil)
		if err != nil {
			t.Fatal(err)
		}
		if figures["operations"] != operations || figures["allocs"] != 1 || figures["bytes"] < 1000 || figures["bytes"] > 1100 || figures["wall"] <= 0 {
			t.Errorf("%v", figures)
		}
		if want := max(0, figures["process"]-idle) / operations; figures["process"] <= 0 || figures["cpu"] != want {
			t.Errorf("CPU %v s, want %v of a process that used %v s, and %v s for no operation", figures["cpu"], want, figures["process"], idle)
		}
	}
}

// TestIdleCPU verifies that idleCPU finds the CPU time of a process that runs no operation, even if
// one of three runs takes far longer.
func TestIdleCPU(t *testing.T) {
	calls := 0
	got, err := idleCPU(t.Context(), func(_ context.Context, n int) (float64, error) {
		calls++
		cpu := 0.25 + 0.01*float64(n)
		if calls%4 == 1 || calls == 11 {
			cpu += 5 // one of the three runs of each count
		}
		return cpu, nil
	}, 100)
	if err != nil || math.Abs(got-0.25) > 1e-9 {
		t.Errorf("%v s, error %v, want 0.25", got, err)
	}
	if _, err := idleCPU(t.Context(), func(context.Context, int) (float64, error) { return 1, nil }, 100); !errors.Is(err, meter.ErrNonlinear) {
		t.Errorf("error %v of operations that take nothing", err)
	}
}

package gobench

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// spin is a module with a benchmark that uses the processor and allocates.
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

// Without a meter there still is CPU time, near to what the meter says, and exact counts.
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
	b := &all[0]
	if err := b.Calibrate(ctx, a); err != nil {
		t.Fatal(err)
	}
	if err := b.MeasureIdle(ctx, a); err != nil {
		t.Skipf("a busy machine: %v", err)
	}
	figures, err := b.Figures(ctx, a, nil)
	if err != nil {
		t.Fatal(err)
	}
	if figures["allocs"] != 1 || figures["bytes"] < 1000 || figures["bytes"] > 1100 {
		t.Errorf("%v", figures)
	}
	if figures["cpu"] < 0.3*figures["wall"]/4 || figures["cpu"] > 4*figures["wall"] {
		t.Errorf("CPU %v s, wall %v s", figures["cpu"], figures["wall"])
	}
}

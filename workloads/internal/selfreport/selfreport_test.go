package selfreport_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/coppice-go/coppice/internal/vmem"
	"github.com/coppice-go/coppice/workloads/internal/selfreport"
)

var kept [][]byte

// TestReport verifies that a report counts allocations on the Go heap and in regions, even if they
// have been freed.
func TestReport(t *testing.T) {
	since := selfreport.Start()
	for range 100 {
		kept = append(kept, make([]byte, 10_000))
	}
	region, err := vmem.Reserve(8<<20, vmem.HugeOff, vmem.NewAccount(t.Name(), 0))
	if err != nil {
		t.Fatal(err)
	}
	if err := region.Commit(8 << 20); err != nil {
		t.Fatal(err)
	}
	if err := region.Close(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "report.json")
	if err := since.Report().Write(name); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	const goHeap, stores = 100 * 10_000, 8 << 20
	if got["allocs"] < 100 || got["bytes"] < goHeap+stores || got["bytes"] > 3*(goHeap+stores) {
		t.Errorf("the report is %v, want 100 allocations, and %d bytes", got, goHeap+stores)
	}
	if rss, ok := got["rss"]; ok {
		t.Errorf("the report has a peak of %v, which the lab measures itself", rss)
	}
	if err := since.Report().Write(""); err != nil {
		t.Errorf("no name: %v", err)
	}
	if err := since.Report().Write(filepath.Join(name, "no-folder")); err == nil {
		t.Error("a report was written where nobody can")
	}
}

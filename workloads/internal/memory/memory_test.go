package memory_test

import (
	"math"
	"runtime/debug"
	"testing"

	"github.com/coppice-go/coppice/workloads/internal/memory"
)

func TestLimitIsTheLeast(t *testing.T) {
	all := memory.LeastLimit()
	if all.Bytes < 64<<20 || all.Bytes > 1<<47 || all.Source == "" {
		t.Errorf("LeastLimit = %+v", all)
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(50 << 20))
	want := memory.Limit{Bytes: 50 << 20, Source: memory.GoMemLimit}
	if got := memory.LeastLimit(); got != want {
		t.Errorf("with GOMEMLIMIT set, LeastLimit = %+v, want %+v", got, want)
	}
	debug.SetMemoryLimit(math.MaxInt64 - 1)
	if got := memory.LeastLimit(); got != all {
		t.Errorf("with a GOMEMLIMIT beyond the machine, LeastLimit = %+v, want %+v", got, all)
	}
}

package selfreport_test

import (
	"runtime"
	"testing"

	"github.com/coppice-go/coppice/workloads/internal/selfreport"
)

var touched []byte

// TestResident verifies that memory becomes resident when it is written, and stops being resident
// when it is returned to the operating system. The peak still includes it until ResetPeak is
// called.
func TestResident(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells")
	}
	const size, most = 256 << 20, 64 << 20 // most is a tolerance for unrelated memory
	before := selfreport.Resident()
	touched = make([]byte, size)
	for i := 0; i < len(touched); i += 4096 {
		touched[i] = 1
	}
	if grown := selfreport.Resident() - before; grown < size-most || grown > size+most {
		t.Errorf("%d bytes were touched, and %.0f became resident", size, grown)
	}
	touched = nil
	if grown := selfreport.Resident() - before; grown > most {
		t.Errorf("%.0f bytes are resident after all is given back", grown)
	}
	if peak := selfreport.Peak(); peak < before+size-most {
		t.Errorf("the peak is %.0f, after %.0f and %d more", peak, before, size)
	}
	if selfreport.ResetPeak() {
		if peak := selfreport.Peak(); peak > before+most {
			t.Errorf("the peak is %.0f after it was reset", peak)
		}
	}
}

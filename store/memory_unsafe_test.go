package store_test

import (
	"math"
	"strings"
	"testing"
	"unsafe"

	"github.com/coppice-go/coppice/store"
)

func TestUnsafePointersAreRefused(t *testing.T) {
	if err := refusal[struct{ p unsafe.Pointer }](); err == nil || !strings.Contains(err.Error(), ".p is a unsafe.Pointer") {
		t.Errorf("New gave %v", err)
	}
}

func TestSlotsAreAlignedAndApart(t *testing.T) {
	type odd struct {
		a byte
		b uint64
		c byte
	}
	s := open[odd](t, store.Options{})
	for range 1000 {
		_, p := s.New()
		if uintptr(unsafe.Pointer(p))%unsafe.Alignof(*p) != 0 {
			t.Fatalf("record at %p is not aligned to %d", p, unsafe.Alignof(*p))
		}
		if *p != (odd{}) {
			t.Fatal("records overlap")
		}
		*p = odd{0xFF, math.MaxUint64, 0xFF}
	}
}

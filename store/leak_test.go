package store

import (
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coppice-go/coppice/internal/checks"
)

// Dropping the variable frees nothing that a pointer still needs, and in checked
// builds it is reported with the place that made the store.
func TestDroppedStore(t *testing.T) {
	var mu sync.Mutex
	var report string
	defer func(before func(string)) { mu.Lock(); defer mu.Unlock(); leaks = before }(leaks)
	leaks = func(text string) {
		mu.Lock()
		defer mu.Unlock()
		if strings.Contains(text, "dropped on purpose") {
			report = text
		}
	}
	p := func() *int64 {
		s, err := New[int64](Options{Max: 100, Name: "dropped on purpose"})
		if err != nil {
			t.Fatal(err)
		}
		_, p := s.New()
		*p = 42
		return p
	}()
	reported := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return strings.Contains(report, "was dropped without Close; its 65536 bytes are lost") && strings.Contains(report, "leak_test.go:")
	}
	for deadline := time.Now().Add(5 * time.Second); checks.Enabled && !reported(); {
		if runtime.GC(); time.Now().After(deadline) {
			t.Fatalf("the leak was not reported: %q", report)
		}
		time.Sleep(time.Millisecond)
	}
	if *p != 42 {
		t.Errorf("the record of a dropped store is %d", *p)
	}
}

package store

import (
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coppice-go/coppice/internal/checks"
)

// A Store that is dropped without Close keeps its memory, because pointers to its records may still
// be in use. Checked builds report the leak, with the line that made the store.
func TestDroppedStore(t *testing.T) {
	var mu sync.Mutex
	var report, wrongly string
	defer func(before func(string)) { mu.Lock(); defer mu.Unlock(); leaks = before }(leaks)
	leaks = func(text string) {
		mu.Lock()
		defer mu.Unlock()
		if strings.Contains(text, "dropped on purpose") {
			report = text
		}
		if strings.Contains(text, "closed before") {
			wrongly = text
		}
	}
	func() {
		s, err := New[int64](Options{Max: 100, Name: "closed before it was dropped"})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}()
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
	for deadline := time.Now().Add(2 * time.Minute); checks.Enabled && !reported(); {
		if runtime.GC(); time.Now().After(deadline) {
			t.Fatalf("the leak was not reported: %q", report)
		}
		time.Sleep(time.Millisecond)
	}
	runtime.GC() // also give a wrong report the chance to arrive
	mu.Lock()
	defer mu.Unlock()
	if wrongly != "" {
		t.Errorf("a store that was closed is reported: %s", wrongly)
	}
	if *p != 42 {
		t.Errorf("the record of a dropped store is %d", *p)
	}
}

// A test in this package is treated like code of a user: checked builds name its line, and not the
// line of its caller.
func TestPlaceInATestOfThePackage(t *testing.T) {
	if !checks.Enabled {
		t.Skip("only in checked builds")
	}
	s, err := New[int64](Options{Max: 100})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if message, _ := recover().(string); !strings.Contains(message, "leak_test.go:") {
			t.Errorf("Alloc said %q", message)
		}
	}()
	s.Alloc(1)
}

package store

import (
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/vmem"
)

// withSmallTexts returns a store whose string region has the minimum size, as on a system with a
// limited address space.
func withSmallTexts(t *testing.T) *Store[int64] {
	t.Helper()
	s, err := New[int64](Options{Max: 10})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	region, err := vmem.Reserve(1<<16, vmem.HugeAuto, s.own.core.account)
	if err != nil {
		t.Fatal(err)
	}
	s.own.core.texts.region = region
	return s
}

// A string that does not fit is rejected as a whole, and earlier strings do not change.
func TestTextsFillTheirRegion(t *testing.T) {
	s := withSmallTexts(t)
	first := s.AllocText(strings.Repeat("a", 60_000))
	func() {
		defer func() {
			if message, _ := recover().(string); !strings.Contains(message, "the store is full of text: 60000 of the maximum 65536 bytes are used") {
				t.Errorf("AllocText said %q", message)
			}
		}()
		s.AllocText(strings.Repeat("b", 6000))
	}()
	last := s.AllocText(strings.Repeat("c", 5536))
	if s.Text(first) != strings.Repeat("a", 60_000) || s.Text(last) != strings.Repeat("c", 5536) {
		t.Error("the texts are not what was put")
	}
}

// If the system refuses memory for the strings, CopyFrom fails, and the destination keeps its old
// strings.
func TestRefusedCopyKeepsTexts(t *testing.T) {
	defer vmem.FailCommit(-1)
	into := withSmallTexts(t)
	kept := into.AllocText("kept")
	from, err := New[int64](Options{Max: 10})
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	long := from.AllocText(strings.Repeat("x", 200_000)) // more than the region of into
	vmem.FailNextCommits(1)
	if err := into.CopyFrom(from); err == nil || into.Text(kept) != "kept" { //coppice:ignore stalevalue a copy that fails ends nothing
		t.Errorf("a copy without memory gave %v", err)
	}
	if err := into.CopyFrom(from); err != nil || into.Text(long) != from.Text(long) {
		t.Errorf("with memory again it gave %v", err)
	}
}

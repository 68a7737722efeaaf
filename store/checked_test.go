package store_test

import (
	"regexp"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/store"
)

func TestCheckedBuildsCatchMisuse(t *testing.T) {
	if !checks.Enabled {
		t.Skip("only in checked builds")
	}
	const here = `checked_test\.go:\d+\)$`
	for name, c := range map[string]struct {
		want   string
		misuse func(s *store.Store[node])
	}{
		"At after Delete":      {`^store\.Store\.At: #1 was deleted \(at .*` + here, func(s *store.Store[node]) { s.Delete(1); s.At(1) }},
		"Delete after Delete":  {`^store\.Store\.Delete: #1 was deleted \(at .*` + here, func(s *store.Store[node]) { s.Delete(1); s.Delete(1) }},
		"At after Reset":       {`^store\.Store\.At: #1 was dropped by Reset or Trim, or never handed out \(at .*` + here, func(s *store.Store[node]) { s.Reset(); s.At(1) }},
		"Alloc after Close":    {`^store\.Store\.Alloc: the store is closed \(at .*` + here, func(s *store.Store[node]) { _ = s.Close(); s.Alloc(node{}) }},
		"At of a slot to come": {`^store\.Store\.At: #3 was`, func(s *store.Store[node]) { s.At(3) }},
		"nil record written":   {`^store\.Store\.Reset: the nil record, element 0 of Slice, was written`, func(s *store.Store[node]) { s.Slice()[0].left = 1; s.Reset() }},
		"nil record, at Close": {`^store\.Store\.Close: the nil record, element 0 of Slice, was written`, func(s *store.Store[node]) { s.Slice()[0].left = 1; _ = s.Close() }},
	} {
		s, err := store.New[node](store.Options{Max: 1000})
		if err != nil {
			t.Fatal(err)
		}
		s.Alloc(node{})
		if got := panicOf(func() { c.misuse(s) }); !regexp.MustCompile(c.want).MatchString(got) {
			t.Errorf("%s: panic %q, want %q", name, got, c.want)
		}
		func() { // a written nil record makes Close panic too
			defer func() { _ = recover() }()
			s.Slice()[0] = node{}
			_ = s.Close()
		}()
	}
}

// In checked builds, Reset overwrites the records that it drops.
func TestCheckedResetOverwrites(t *testing.T) {
	if !checks.Enabled {
		t.Skip("only in checked builds")
	}
	s := open[node](t, store.Options{})
	_, stale := s.Make(1000)
	s.Reset()
	for _, i := range []int{0, 500, 999} {
		if stale[i].left != 0xDBDBDBDB || stale[i].right != 0xDBDBDBDB { //coppice:ignore stalevalue it looks at what Reset left
			t.Errorf("stale record %d reads %#x after Reset", i, uint32(stale[i].left))
		}
	}
}

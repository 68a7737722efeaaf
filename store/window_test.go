package store

import "testing"

// After a Reset, the first block has 512 bytes. Each further block is as large as all blocks before
// it together, up to 16 KiB. Thus a small phase zeroes little memory.
func TestBlocksGrowWithThePhase(t *testing.T) {
	s, err := New[[8]byte](Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for range 2 {
		var blocks []uint32
		for range 10_000 {
			if s.last == s.end {
				s.Alloc([8]byte{1})
				blocks = append(blocks, s.end-s.last+1)
				continue
			}
			s.Alloc([8]byte{1})
		}
		for i, want := range []uint32{64, 64, 128, 256, 512, 1024, 2048, 2048} {
			if blocks[i] != want {
				t.Fatalf("blocks of %d slots, want 64 64 128 ... 2048 2048", blocks)
			}
		}
		s.Reset()
	}
}

// A store keeps track of open Writers only. Otherwise, a server that opens a Writer for each
// request would leak memory.
func TestClosedWritersAreForgotten(t *testing.T) {
	s, err := New[int64](Options{Max: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	kept := s.Writer()
	for range 100 {
		w := s.Writer()
		w.Alloc(1)
		w.Close()
	}
	if open := s.own.core.open; len(open) != 1 || open[0] != &kept.own.window {
		t.Errorf("%d Writers are remembered, want the open one", len(open))
	}
}

package flatimpl

import (
	"slices"
	"testing"
)

func TestWordsAsBytes(t *testing.T) {
	words := []uint32{0x04030201, 0x08070605}
	swap(words)
	bytes := bytesOf(words)
	if len(bytes) != 8 || bytes[0] != 1 || bytes[7] != 8 {
		t.Errorf("%v", bytes)
	}
	if back := wordsOf(bytes, ""); len(back) != 2 || &back[0] != &words[0] {
		t.Errorf("%v", back)
	}
	if len(wordsOf(bytes[:3], "")) != 0 || len(bytesOf(nil)) != 0 || stringOf(nil) != "" {
		t.Error("of nothing there is something")
	}
	defer func() {
		if recover() == nil {
			t.Error("words at an odd address")
		}
	}()
	wordsOf(bytes[1:], "")
}

// TestFileWords verifies that the words of a file are read correctly at addresses that are not
// aligned, and are little-endian.
func TestFileWords(t *testing.T) {
	want := []uint32{0, 1, 0x01020304, 1 << 31}
	room := make([]byte, 4*len(want)+3)
	for shift := range 4 {
		b := room[shift : shift+4*len(want)]
		PutWords(b, want)
		if b[8] != 4 || b[11] != 1 {
			t.Errorf("%d bytes on, the file has % x", shift, b)
		}
		if got := FileWords(b); !slices.Equal(got, want) {
			t.Errorf("%d bytes on, the words are %x", shift, got)
		}
	}
	if len(FileWords(nil)) != 0 {
		t.Error("there are words in no bytes")
	}
}

package flatimpl

import "testing"

func TestWordsAsBytes(t *testing.T) {
	words := []uint32{0x04030201, 0x08070605}
	swap(words)
	bytes := bytesOf(words)
	if len(bytes) != 8 || bytes[0] != 1 || bytes[7] != 8 {
		t.Errorf("%v", bytes)
	}
	if back := wordsOf(bytes); len(back) != 2 || &back[0] != &words[0] {
		t.Errorf("%v", back)
	}
	if len(wordsOf(bytes[:3])) != 0 || len(bytesOf(nil)) != 0 || stringOf(nil) != "" {
		t.Error("of nothing there is something")
	}
	defer func() {
		if recover() == nil {
			t.Error("words at an odd address")
		}
	}()
	wordsOf(bytes[1:])
}

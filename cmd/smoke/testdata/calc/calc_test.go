package calc

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	n := Parse("1+2*3")
	if n.Op != '+' || n.Left.Value != 1 || n.Right.Op != '*' || n.Right.Right.Value != 3 {
		t.Error(n)
	}
}

func TestLetters(t *testing.T) {
	if n := Letters("two words"); n != 8 {
		t.Errorf("%d letters, want 8", n)
	}
}

func BenchmarkParse(b *testing.B) {
	text := strings.Repeat("1*2+3*4*5+", 200) + "6"
	for b.Loop() {
		Parse(text)
	}
}

func BenchmarkLetters(b *testing.B) {
	text := strings.Repeat("words of a text ", 50)
	for b.Loop() {
		Letters(text)
	}
}

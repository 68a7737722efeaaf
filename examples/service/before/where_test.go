package before

import (
	"strings"
	"testing"
)

// BenchmarkParse parses the condition of a typical search, and a long condition.
func BenchmarkParse(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"usual", "not color = red and (price < 90 or stock > 4 or brand = acme)"},
		{"long", strings.Repeat("(color = red and price < 90 or not brand = acme and stock > 4) or ", 10) + "color = blue"},
	} {
		b.Run("text="+c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := parse(c.text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

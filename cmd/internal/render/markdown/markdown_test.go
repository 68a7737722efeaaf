package markdown_test

import (
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/render/markdown"
)

func TestText(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{markdown.Text("a|b *c* _d_ <e>\nf"), `a\|b \*c\* \_d\_ &lt;e> f`},
		{markdown.Code("a`b|c"), "`a'b|c`"},
		{markdown.CodeCell("a`b|c\nd"), "`a'b\\|c d`"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

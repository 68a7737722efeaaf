package scaffold

import "testing"

func TestLower(t *testing.T) {
	for name, want := range map[string]string{"Node": "node", "AST": "ast", "IExpr": "iExpr", "HTMLNode": "htmlNode", "point": "point", "T": "t", "Änder": "änder"} {
		if got := Lower(name); got != want {
			t.Errorf("%s becomes %s, want %s", name, got, want)
		}
	}
}

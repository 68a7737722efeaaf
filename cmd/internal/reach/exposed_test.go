package reach

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAlways verifies that an interface always contains a parser only if nothing else is converted
// to it, not even nil, and if other modules cannot name it.
func TestAlways(t *testing.T) {
	const source = `package calc

type lexer interface{ lex() int }

type parser struct{ at int }

func (p *parser) lex() int { return p.at }

type run struct{}

func (*run) Parse(l lexer) int { return l.(*parser).at + l.lex() }

func parse(l lexer) int { return new(run).Parse(l) }

func Parse() int { return parse(&parser{}) }
`
	for name, test := range map[string]struct {
		more string
		want bool
	}{
		"alone":    {"", true},
		"other":    {"type other struct{}\n\nfunc (other) lex() int { return 0 }\n\nvar _ = parse(other{})\n", false},
		"nil":      {"var _ = parse(nil)\n", false},
		"typed":    {"var _ = parse((*parser)(nil))\n", false},
		"variable": {"var l lexer\n\nvar _ = parse(l)\n", false},
		"exported": {"func Run(l lexer) int { return parse(l) }\n", false},
		"method":   {"func New() *run { return nil }\n", false},
		"asserted": {"func Any(v any) int { return parse(v.(lexer)) }\n", false},
	} {
		dir := t.TempDir()
		for file, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n", "calc.go": source + test.more} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		m, err := Load(t.Context(), dir, append(os.Environ(), "GOWORK=off"), "example.com/m", nil)
		if err != nil {
			t.Fatal(err)
		}
		if why, _ := m.Broken(); why != "" {
			t.Fatal(name, strings.TrimSpace(why))
		}
		if got := m.Always("example.com/m", "lexer", "parser"); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

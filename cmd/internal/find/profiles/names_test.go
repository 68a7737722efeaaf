package profiles

import "testing"

func TestSplit(t *testing.T) {
	for _, c := range []struct{ name, path, function string }{
		{"main.main", "main", "main"},
		{"runtime.mallocgc", "runtime", "mallocgc"},
		{"go/parser.(*parser).next", "go/parser", "(*parser).next"},
		{"gopkg.in/yaml%2ev3.(*Decoder).Decode", "gopkg.in/yaml.v3", "(*Decoder).Decode"},
		{"github.com/a.b/c.T.M", "github.com/a.b/c", "T.M"},
		{"github.com/a/b%2ego.v2/c.F.func1.2", "github.com/a/b.go.v2/c", "F.func1.2"},
		{"example.com/b%c3%a4r.F", "example.com/bär", "F"},
		{"example.com/100%zz.F", "example.com/100%zz", "F"},
		{"example.com/v2.Run.gowrap1", "example.com/v2", "Run.gowrap1"},
		{"net/http.(*Server).Serve.gowrap3", "net/http", "(*Server).Serve.gowrap3"},
		{"example.com/x.glob..func1", "example.com/x", "glob..func1"},
		{"example.com/x.init.0", "example.com/x", "init.0"},
		{"example.com/x.(*T).M-fm", "example.com/x", "(*T).M-fm"},
		{"example.com/x.F[...]", "example.com/x", "F[...]"},
		{"example.com/x.(*List[...]).Push", "example.com/x", "(*List[...]).Push"},
		{"slices.SortFunc[go.shape.[]github.com/a/b.T]", "slices", "SortFunc[...]"},
		{"example.com/x.(*List[go.shape.[6]int,go.shape.struct { example.com/y.T }]).Each[int].func1", "example.com/x", "(*List[...]).Each[...].func1"},
		{"example.com/x_test.TestF", "example.com/x_test", "TestF"},
		{"vendor/golang.org/x/net/idna.ToASCII", "vendor/golang.org/x/net/idna", "ToASCII"},
		{"gcWriteBarrier", "", "gcWriteBarrier"},
		{"memeqbody", "", "memeqbody"},
		{"type:.eq.example.com/x.T", "", "type:.eq.example.com/x.T"},
		{"", "", ""},
	} {
		if path, function := Split(c.name); path != c.path || function != c.function {
			t.Errorf("Split(%q) = %q, %q; want %q, %q", c.name, path, function, c.path, c.function)
		}
	}
}

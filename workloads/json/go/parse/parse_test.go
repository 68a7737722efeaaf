package parse

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/workloads/json/go/dom"
	"github.com/coppice-go/coppice/workloads/json/go/domflat"
	"github.com/coppice-go/coppice/workloads/json/go/tokens"
)

// parsers contains a parser for each way to make a document from a text. Each parser is reused for
// many texts.
type parsers struct {
	pointers map[string]*Pointers
	flat     map[string]*Flat
}

func newParsers() parsers {
	return parsers{
		map[string]*Pointers{"jsontext": NewPointers(&tokens.Fast{}), "encoding/json": NewPointers(&tokens.Standard{})},
		map[string]*Flat{"jsontext": NewFlat(&tokens.Fast{}), "encoding/json": NewFlat(&tokens.Standard{})},
	}
}

// check parses the text with all parsers and requires the same result as json.Unmarshal.
func (p parsers) check(t *testing.T, text []byte) {
	t.Helper()
	var want any
	wantErr := json.Unmarshal(text, &want)
	same := func(name string, got dom.Value, err error) {
		t.Helper()
		if (err != nil) != (wantErr != nil) {
			t.Fatalf("%.60q, %s: error %v, encoding/json has %v", text, name, err, wantErr)
		}
		if err == nil && !reflect.DeepEqual(AsAny(got), want) {
			t.Fatalf("%.60q, %s: %v, encoding/json has %v", text, name, AsAny(got), want)
		}
	}
	for source, parser := range p.pointers {
		got, err := parser.Parse(text)
		same("pointers of "+source, got, err)
	}
	for source, parser := range p.flat {
		tree, err := parser.Parse(text)
		if err != nil {
			same("flat of "+source, nil, err)
			continue
		}
		for name, tree := range map[string]domflat.Tree{"parsed": tree, "loaded": reload(t, tree), "compact": tree.Compact()} {
			got, err := domflat.ToTree(tree, limits)
			same(name+" flat of "+source, got, err)
		}
	}
}

// limits permits the same depth as encoding/json: 10,000 levels of nesting, and a value in the
// innermost one.
var limits = flat.LoadLimits{MaxDepth: 10_001}

// reload writes the tree to a file and loads it, which also validates it.
func reload(t *testing.T, tree domflat.Tree) domflat.Tree {
	t.Helper()
	var file bytes.Buffer
	if _, err := tree.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	loaded, err := domflat.Load(file.Bytes(), limits)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

// vectors contains valid and invalid texts, with every kind of value and of syntax error.
var vectors = []string{
	`null`, ` true `, "\tfalse\r\n", `0`, `-0`, `"a"`, `[]`, `{}`, `[[],{}]`, `{"a":[],"b":{}}`,
	`[1,2.5,-3e2,1E-7,1e+9]`, `[2147483647,2147483648,-2147483648,-2147483649]`,
	`[9007199254740993,123456789012345678901234567890]`, `[1.7976931348623157e308,5e-324,1e-400,-1e-400]`,
	`1e400`, `[-1e309]`, `[0.1,0.30000000000000004,123456789012345,999999999999999,1000000000000000]`,
	`{"a":1,"a":2}`, `{"a":{"b":1,"b":2},"a":{"b":3}}`, `{"a":1,"b":2,"a":3,"b":4,"a":5}`, `{"":1,"":{"":2}}`,
	`{"a":[{"a":1},{"a":2,"a":3}],"b":{"a":4}}`,
	`["\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00"]`, `["\ud800","\udc00","\ud800x","\ud800\u0041","\udc00\ud800"]`,
	"[\"\xff\",\"a\xc3\",\"\xed\xa0\x80\",\"\xf4\x90\x80\x80\"]", "{\"\xff\":1,\"\xfe\":2}", "\"\u2028\u0000\"", `"\u0000"`, "\"\x7f\"",
	``, ` `, `nul`, `nulll`, `True`, `[`, `{`, `]`, `}`, `[1`, `[1,`, `[1,]`, `[,1]`, `[1 2]`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`,
	`{"a":1,}`, `{,}`, `{a:1}`, `{1:1}`, `{"a" 1}`, `{"a",1}`, `[1:2]`, `{"a":1]`, `[1}`, `1 2`, `[] []`, `{}x`, `[]]`, `,`, `:`,
	`01`, `-`, `+1`, `1.`, `.1`, `1e`, `1e+`, `0x1`, `--1`, `NaN`, `Infinity`, `1_0`,
	`"`, `"a`, `"\`, `"\x"`, `"\u12"`, `"\u12g4"`, "\"\n\"", "\"\x01\"", `'a'`, "\ufeff[]", "[\v1]", `/**/1`, `[1]//`,
}

func TestVectors(t *testing.T) {
	p := newParsers()
	for _, v := range vectors {
		p.check(t, []byte(v))
	}
}

func TestDepth(t *testing.T) {
	p := newParsers()
	for _, depth := range []int{1, 300, 9_999, 10_000, 10_001, 20_000} {
		p.check(t, []byte(strings.Repeat("[", depth)+strings.Repeat("]", depth)))
		p.check(t, []byte(strings.Repeat(`{"a":`, depth)+"1"+strings.Repeat("}", depth)))
		p.check(t, []byte(strings.Repeat("[", depth)))
	}
}

// TestManyMembers parses objects with many members, whose keys are all different or all equal.
func TestManyMembers(t *testing.T) {
	p := newParsers()
	var different, equal bytes.Buffer
	for i := range 2_000 {
		key, _ := json.Marshal("k" + strings.Repeat("x", i%7) + string(rune(0x4e00+i)))
		different.Write(append(append([]byte{','}, key...), ":1"...))
		equal.WriteString(`,"a":[1]`)
	}
	for _, members := range []string{different.String(), equal.String()} {
		p.check(t, []byte("{"+members[1:]+"}"))
	}
	p.check(t, []byte("["+strings.Repeat("[[],{}],", 5_000)+"0]"))
}

// TestEqualKeysKeepTheFirstPlace verifies that the first of several equal keys determines the
// position of the member, that the last one determines its value, and that Compact removes the
// overwritten values.
func TestEqualKeysKeepTheFirstPlace(t *testing.T) {
	tree, err := NewFlat(&tokens.Fast{}).Parse([]byte(`{"a":[1,2],"b":2,"a":"last"}`))
	if err != nil {
		t.Fatal(err)
	}
	o := tree.Root().AsObject()
	if o.NumMembers() != 2 || o.Member(0).Key() != "a" || o.Member(0).Value().AsString().Value() != "last" || o.Member(1).Key() != "b" {
		t.Errorf("parsed %v", tree)
	}
	if before, after := tree.NumNodes(), tree.Compact().NumNodes(); before != 6 || after != 3 {
		t.Errorf("%d nodes, compact %d; want 6 and 3", before, after)
	}
}

func TestWholeNumbers(t *testing.T) {
	for v, want := range map[float64]bool{
		0: true, math.Copysign(0, -1): false, 1: true, -1: true, 0.5: false, math.MaxInt32: true, math.MinInt32: true,
		math.MaxInt32 + 1: false, math.MinInt32 - 1: false, 1e300: false, -1e300: false,
	} {
		if whole, ok := WholeNumber(v); ok != want || ok && float64(whole) != v {
			t.Errorf("%v: %d, %t", v, whole, ok)
		}
	}
}

// TestTextMayChange verifies that documents do not refer to the text that was parsed, so the caller
// may overwrite it.
func TestTextMayChange(t *testing.T) {
	f, p := NewFlat(&tokens.Fast{}), NewPointers(&tokens.Fast{})
	text := []byte(`{"key":"value","other":["string"]}`)
	tree, err := f.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	pointers, err := p.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	var want any
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	clear(text)
	got, err := domflat.ToTree(tree, limits)
	if err != nil || !reflect.DeepEqual(AsAny(got), want) || !reflect.DeepEqual(AsAny(pointers), want) {
		t.Errorf("after the text was cleared: %v and %v, %v", AsAny(got), AsAny(pointers), err)
	}
}

func FuzzAgainstStandard(f *testing.F) {
	for _, v := range vectors {
		f.Add([]byte(v))
	}
	p := newParsers()
	f.Fuzz(func(t *testing.T, text []byte) { p.check(t, text) })
}

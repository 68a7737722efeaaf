package measure

import (
	"encoding/json"
	"strings"
	"testing"
)

var anyContender = Contender{"any", func() Parser {
	return func(text []byte) (DOM, error) {
		var root any
		err := json.Unmarshal(text, &root)
		return Any{root}, err
	}
}}

func TestPaths(t *testing.T) {
	total := 0
	for _, name := range documentNames {
		paths := pathsOf(name)
		total += len(paths)
		if len(paths) == 0 {
			t.Errorf("no path for %s", name)
		}
	}
	if total != 4461 {
		t.Errorf("%d paths; spec.md has 4,461", total)
	}
	p := newPath("events/138586341/topicIds/0")
	if len(p.Steps) != 4 || p.Steps[0].Index >= 0 || p.Steps[1].Index >= 0 || p.Steps[3].Index != 0 || p.Texts[3] != "0" {
		t.Errorf("%+v", p)
	}
}

func TestAnswers(t *testing.T) {
	var root any
	if err := json.Unmarshal([]byte(`{"a":[null,true,false,1.5,"text",[],{}],"0":7}`), &root); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]uint64{
		"a/0": AnswerNull, "a/1": AnswerTrue, "a/2": AnswerFalse, "a/3": AnswerNumber(1.5), "a/4": AnswerString(4),
		"a/5": AnswerArray, "a/6": AnswerObject, "a": AnswerArray, "0": AnswerNumber(7),
		"a/7": Absent, "b": Absent, "a/x": Absent, "a/4/0": Absent, "a/0/x": Absent,
	} {
		if got := (Any{root}).Get(newPath(path)); got != want {
			t.Errorf("%s: %x, want %x", path, got, want)
		}
	}
}

func TestCorporaFor(t *testing.T) {
	for depth, want := range map[int]int{0: 1, 3: 1, 4: 2, 5: 4, 20: 104858} {
		if got := CorporaFor(10, depth); got != want {
			t.Errorf("depth %d: %d, want %d", depth, got, want)
		}
	}
}

// TestSum verifies that Sum detects all changes of a document except for the order of members.
func TestSum(t *testing.T) {
	sums := map[uint64]string{}
	for _, text := range []string{
		`null`, `true`, `false`, `0`, `-0`, `1`, `""`, `"0"`, `[]`, `{}`, `[1,2]`, `[2,1]`, `[[1],2]`, `[[1,2]]`,
		`{"a":1,"b":2}`, `{"a":2,"b":1}`, `{"a":{"b":1}}`, `{"a":{},"b":1}`, `[null]`, `{"a":null}`, `{"":null}`,
	} {
		var root any
		if err := json.Unmarshal([]byte(text), &root); err != nil {
			t.Fatal(err)
		}
		d := Any{root}
		if other, ok := sums[d.Sum()]; ok {
			t.Errorf("%s and %s have the same sum", text, other)
		}
		if d.Copy(nil).Sum() != d.Sum() {
			t.Errorf("the copy of %s has another sum", text)
		}
		sums[d.Sum()] = text
	}
}

// saved is a DOM that is stored as JSON. If load is set, Load reads this text instead of the stored
// one.
type saved struct {
	Any
	load string
}

func (d saved) Save() ([]byte, error) { return json.Marshal(d.Root) }
func (d saved) Load(stored []byte) (DOM, error) {
	if d.load != "" {
		stored = []byte(d.load)
	}
	var root any
	err := json.Unmarshal(stored, &root)
	return Any{root}, err
}

func TestLoad(t *testing.T) {
	for load, want := range map[string]string{"": "", "[2]": "document 0 has another content", "[": "unexpected end"} {
		c := Contender{"saved", func() Parser {
			return func([]byte) (DOM, error) { return saved{Any{[]any{1.0}}, load}, nil }
		}}
		figures, err := Run(c, []Document{{"first", []byte(`[1]`)}}, 0, &strings.Builder{})
		if want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("loaded %q: error %v, want %s", load, err, want)
		}
		if _, ok := figures["load_s"]; want == "" && (err != nil || !ok) {
			t.Errorf("error %v, figures %v", err, figures)
		}
	}
}

// broken is a DOM whose Copy returns a different document.
type broken struct{ Any }

func (broken) Copy(DOM) DOM { return Any{"else"} }

func TestRun(t *testing.T) {
	documents := []Document{{"first", []byte(`{"a":[1,2,"x"],"b":null}`)}, {"second", []byte(`[true,"é"]`)}}
	var out strings.Builder
	figures, err := Run(anyContender, documents, 5, &out)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"parse_s", "walk_s", "get_s", "copy_s", "collection_s", "drop_s", "total_s", "value_bytes", "allocs"} {
		if _, ok := figures[name]; !ok {
			t.Errorf("no figure %s", name)
		}
	}
	lines := strings.Split(out.String(), "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[0], "first: null 1, bool 0, number 2, string 1, array 1, object 1 with 2 members; bytes of strings 1, of keys 2;") ||
		!strings.HasPrefix(lines[1], "second: null 0, bool 1, number 0, string 1, array 1, object 0 with 0 members; bytes of strings 2, of keys 0;") ||
		lines[2] != "4 of each, 36 values" {
		t.Errorf("printed %s", out.String())
	}
}

func TestRunFindsMistakes(t *testing.T) {
	documents := []Document{{"first", []byte(`[1]`)}}
	bad := Contender{"broken", func() Parser {
		return func([]byte) (DOM, error) { return broken{Any{[]any{1.0}}}, nil }
	}}
	if _, err := Run(bad, documents, 0, &strings.Builder{}); err == nil || !strings.Contains(err.Error(), "first, number 0: the content is") {
		t.Errorf("a broken copy gave %v", err)
	}
	if _, err := Run(anyContender, []Document{{"cut", []byte(`[1`)}}, 0, &strings.Builder{}); err == nil || !strings.HasPrefix(err.Error(), "cut: ") {
		t.Errorf("a text that is no JSON gave %v", err)
	}
}

func TestDocumentsNeedTheirModule(t *testing.T) {
	if _, err := Documents(t.TempDir()); err == nil || !strings.Contains(err.Error(), "run it in the root of a checkout") {
		t.Errorf("error %v", err)
	}
}

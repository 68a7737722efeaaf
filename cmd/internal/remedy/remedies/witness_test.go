package remedies_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

// TestWitnessDetectsMistakes verifies that the witness form of a change reveals mistakes, most of
// which the tests of the module do not detect.
func TestWitnessDetectsMistakes(t *testing.T) {
	testsize.OnlyInFull(t, "it builds programs")
	for name, c := range mistakes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.check(t)
		})
	}
}

// A mistake is an error that the test plants in a change.
type mistake struct {
	archive  string
	old, new string // the text to replace, and the wrong text
	loud     bool   // whether the module's own tests fail, too
	test     string // a test to add to the module
	output   string // expected in the output of the tests in witness form
	record   string
}

var mistakes = map[string]mistake{
	"memory that is used after its end": {
		archive: "scratch/parser", old: "all = append(all, p.allScratch[allMark:]...)", new: "all = p.allScratch[allMark:]",
		test: `func TestNumbers(t *testing.T) {
				if got := (&parser{src: "12"}).numbers(); got[0] != '1' || got[1] != '2' {
					t.Error("numbers are wrong:", got)
				}
			}`,
		output: "numbers are wrong: [-1515870811 -1515870811]",
	},
	"a stack of which too much is cleared": {
		archive: "scratch/parser", old: "clear(p.listScratch[listMark:])", new: "clear(p.listScratch)", loud: true,
		record: "coppice witness: parser has scratch space in which another call changed what this one collected, before at parser.go:",
	},
	"a nil owner, which is recovered": {
		archive: "slab/simple",
		old:     "text := p.src[p.next]\n\tp.next++\n", new: "text := \"\"\n\tif p != nil {\n\t\ttext = p.src[p.next]\n\t\tp.next++\n\t}\n",
		test: `func TestNil(t *testing.T) {
				defer func() { recover() }()
				(*parser)(nil).leaf()
			}`,
		record: "coppice witness: the owner of type parser is nil, now at sum.go:",
	},
	"a nil owner, whose type stands in its file": {
		archive: "slab/inside",
		old:     "text := p.src[p.next]\n\tp.next++\n", new: "text := \"\"\n\tif p != nil {\n\t\ttext = p.src[p.next]\n\t\tp.next++\n\t}\n",
		test: `func TestNil(t *testing.T) {
				defer func() { recover() }()
				(*parser)(nil).leaf()
			}`,
		record: "coppice witness: the owner of type parser is nil, now at sum.go:43 (sum.(*parser).leaf)",
	},
	"an owner that a test copies, whose type was there": {
		archive: "slab/inside-again",
		test: `func TestCopy(t *testing.T) {
				p := &parser{src: []string{"", ""}}
				p.leaf()
				var q parser
				reflect.ValueOf(&q).Elem().Set(reflect.ValueOf(p).Elem())
				defer func() { recover() }()
				q.leaf()
			}`,
		record: "coppice witness: parser is a copy of another one that was used before, before at sum.go:46 (sum.(*parser).leaf)",
	},
	"an owner that a test copies": {
		archive: "slab/simple",
		test: `func TestCopy(t *testing.T) {
				p := &parser{src: []string{"1", "2"}}
				p.leaf()
				var q parser
				reflect.ValueOf(&q).Elem().Set(reflect.ValueOf(p).Elem())
				defer func() { recover() }()
				q.leaf()
			}`,
		record: "coppice witness: parser is a copy of another one that was used before, before at sum.go:",
	},
}

// check plants the mistake in the change and in its witness form, and runs the tests of the latter.
func (c mistake) check(t *testing.T) {
	m := open(t, c.archive)
	m.results(t)
	planted := c.old == ""
	plant := func(name string, data []byte) {
		changed := string(data)
		if c.old != "" && strings.Contains(changed, c.old) {
			planted = true
			changed = strings.Replace(changed, c.old, c.new, 1)
		}
		if err := os.WriteFile(filepath.Join(m.folder, filepath.Base(name)), []byte(changed), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	plant("more_test.go", []byte("package "+m.request.Package.Name+"\n\nimport (\n\t\"reflect\"\n\t\"testing\"\n)\n\nvar (\n\t_ reflect.Type\n\t_ testing.T\n)\n\n"+c.test+"\n"))
	for _, file := range m.request.Package.GoFiles {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		plant(file, data)
	}
	if !c.loud {
		m.passes(t, "after")
	}
	for name, data := range m.witness {
		plant(name, data)
	}
	if !planted {
		t.Fatal("nothing is planted")
	}
	record := filepath.Join(t.TempDir(), "record")
	cmd := exec.Command("go", "test", "-trimpath", "-count=1", "-vet=off", ".")
	cmd.Dir, cmd.Env = m.folder, append(os.Environ(), "GOWORK=off", "COPPICE_WITNESS="+record)
	out, err := cmd.CombinedOutput()
	said, _ := os.ReadFile(record)
	if c.output != "" && (err == nil || !strings.Contains(string(out), c.output)) {
		t.Errorf("the tests say\n%s\nwant %s", out, c.output)
	}
	if !strings.HasPrefix(string(said), c.record) || c.record == "" && len(said) > 0 {
		t.Errorf("recorded is\n%s\nwant %s; the tests say\n%s", said, c.record, out)
	}
}

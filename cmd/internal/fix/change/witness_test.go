package change

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

// Mistakes that the module's tests do not see are seen in the witness form.
func TestWitnessSees(t *testing.T) {
	testsize.OnlyInFull(t, "it builds programs")
	for name, c := range map[string]struct {
		archive  string
		old, new string // what a mistake makes of the change
		loud     bool   // the module's tests see it, too
		test     string // which is added to those of the module
		output   string // of the tests of the witness form
		record   string
	}{
		"memory that is used after its end": {
			archive: "scratch-parser", old: "all = append(all, p.allScratch[allMark:]...)", new: "all = p.allScratch[allMark:]",
			test: `func TestNumbers(t *testing.T) {
				if got := (&parser{src: "12"}).numbers(); got[0] != '1' || got[1] != '2' {
					t.Error("numbers are wrong:", got)
				}
			}`,
			output: "numbers are wrong: [-1515870811 -1515870811]",
		},
		"a stack of which too much is cleared": {
			archive: "scratch-parser", old: "clear(p.listScratch[listMark:])", new: "clear(p.listScratch)", loud: true,
			record: "coppice witness: parser has scratch space in which another call changed what this one collected, before at parser.go:",
		},
		"a nil owner, which is recovered": {
			archive: "slab-simple",
			old:     "text := p.src[p.next]\n\tp.next++\n", new: "text := \"\"\n\tif p != nil {\n\t\ttext = p.src[p.next]\n\t\tp.next++\n\t}\n",
			test: `func TestNil(t *testing.T) {
				defer func() { recover() }()
				(*parser)(nil).leaf()
			}`,
			record: "coppice witness: the owner of type parser is nil, now at sum.go:",
		},
		"an owner that a test copies": {
			archive: "slab-simple",
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
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := open(t, "testdata/"+c.archive+".txtar")
			m.results(t)
			write := func(name, data string) {
				if err := os.WriteFile(filepath.Join(m.folder, filepath.Base(name)), []byte(data), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			planted := c.old == ""
			plant := func(data string) string {
				if c.old == "" || !strings.Contains(data, c.old) {
					return data
				}
				planted = true
				return strings.Replace(data, c.old, c.new, 1)
			}
			write("more_test.go", "package "+m.request.Package.Name+"\n\nimport (\n\t\"reflect\"\n\t\"testing\"\n)\n\nvar (\n\t_ reflect.Type\n\t_ testing.T\n)\n\n"+c.test+"\n")
			for _, file := range m.request.Package.GoFiles {
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				write(file, plant(string(data)))
			}
			if !c.loud {
				m.passes(t, "after")
			}
			for name, data := range m.witness {
				write(name, plant(string(data)))
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
		})
	}
}

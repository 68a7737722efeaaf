package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

func runIn(t *testing.T, folder string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	t.Chdir(folder)
	var out, errs bytes.Buffer
	code = run(t.Context(), args, &out, &errs)
	return code, out.String(), errs.String()
}

func TestArguments(t *testing.T) {
	for want, args := range map[string][]string{
		"there is no condition \"x\"; -list lists them":                               {"-only", "race,x"},
		"there is no part \"x\"; the parts are tests, fuzz, soak":                     {"-parts", "x"},
		"unexpected argument \"x\"; -help lists the flags":                            {"x"},
		"flag provided but not defined: -x; -help lists the flags":                    {"-x"},
		"invalid -checks -1: must be at least 0; 0 is the default":                    {"-checks", "-1"},
		"invalid -fuzztime 0s: must be positive, such as 15s":                         {"-fuzztime", "0s"},
		"invalid -soak -1s: must be at least 0; 0 is the default":                     {"-soak", "-1s"},
		"nothing to do: none of these conditions has such a part; -list says what ea": {"-only", "s390x", "-parts", "soak"},
	} {
		code, out, errs := runIn(t, t.TempDir(), args...)
		if code != 2 || out != "" || !strings.HasPrefix(errs, "torture: "+want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v gave %d, %q and %q, want %q", args, code, out, errs, want)
		}
	}
	if code, _, errs := runIn(t, t.TempDir()); code != 1 || !strings.Contains(errs, "torture: listing the packages: ") {
		t.Errorf("outside a module: %d, %q", code, errs)
	}
}

func TestList(t *testing.T) {
	code, out, _ := runIn(t, ".", "-list")
	for _, want := range []string{"race ", "checkmark ", "s390x ", "386 ", "procs16 ", "(-short: soak)"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("-list lacks %q:\n%s", want, out)
		}
	}
	if strings.Count(out, "\n") != len(conditions) {
		t.Errorf("-list has not a line for each of %d conditions", len(conditions))
	}
}

// discover finds the packages that users import, their dependencies in the repository, and the
// packages with tests of the whole library. None of them is listed by name in the code.
func TestDiscover(t *testing.T) {
	t.Chdir("../..")
	packages, err := discover(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	names, targets := make([]string, 0, len(packages)), []string(nil)
	for _, p := range packages {
		names = append(names, p.short())
		for _, target := range p.targets {
			targets = append(targets, p.short()+" "+target)
		}
	}
	for _, want := range []string{"slab", "pool", "arena", "store", "inline", "internal/vmem", "internal/checks", "workshop/torture/soak", "workshop/torture/crash", "alloctest", "workshop/traps"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is not among %v", want, names)
		}
	}
	for _, c := range conditions {
		for _, name := range c.among {
			if !slices.Contains(names, name) {
				t.Errorf("%s is for %s, which is not among %v", c.name, name, names)
			}
		}
	}
	for _, bad := range []string{"workshop/torture", "cmd/internal/stats", "vet", "workloads/binary-trees/go", "cmd/coppice"} {
		if slices.Contains(names, bad) {
			t.Errorf("%s is among %v", bad, names)
		}
	}
	for _, want := range []string{"slab FuzzSlab", "store FuzzStore", "store FuzzHandles", "inline FuzzVec", "arena FuzzArena"} {
		if !slices.Contains(targets, want) {
			t.Errorf("%s is not among %v", want, targets)
		}
	}
}

// TestModules runs the program on two small modules, one that passes and one that fails. It
// includes fuzzing only in full tests, because the go command recompiles the standard library for
// it.
func TestModules(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	for name, want := range map[string]struct {
		code                   int
		stdout, stderr, record []string // regular expressions
	}{
		"good": {0,
			[]string{`(?m)^gogc +DURATION, 2 tests, 1 skipped, (FUZZ fuzz inputs, )?42 soak operations: ok\n    good TestNarrow skipped under qemu: why\n`, `torture: all is well under 1 conditions after DURATION; the record is bin/torture/report.md\n$`}, nil,
			[]string{`Written by .go run ./workshop/torture -only gogc -fuzztime 1s -parts [a-z,]+. on 20`, `\| gogc \| .* \| 2 \| 1 \|  \| FUZZ \| 42 \| DURATION \| 0 \|`, `## What could not be done\n\n- gogc: good TestNarrow skipped under qemu: why\n`}},
		"bad": {1,
			[]string{`(?m)^gogc .*: FAILED TIMES times, see bin/torture/gogc.txt$`, `(?m)^FAILED gogc: bad TestFails/Sub$`, `(?m)^FAILED gogc: broken failed outside its tests$`,
				`(?m)^FAILED gogc: soak: FAILED: rot \(exit status 1\)$`},
			[]string{`^torture: TIMES failures under 1 conditions; the record is bin/torture/report.md\n$`},
			[]string{`## What failed\n\n- gogc: `}},
	} {
		parts, inputs, times := "tests,soak", "", "3"
		if testsize.Full() {
			parts, inputs, times = "tests,fuzz,soak", `[\d,]+`, "4"
		}
		if name == "bad" && testsize.Full() {
			want.stdout = append(want.stdout, `(?m)^FAILED gogc: bad: FuzzFails: exit status 1; the input is below its testdata/fuzz$`)
		}
		ofSize := strings.NewReplacer("FUZZ", inputs, "TIMES", times, "DURATION", `[\dhmsµ.]+`)
		t.Run(name, func(t *testing.T) {
			folder := unpack(t, name)
			code, out, errs := runIn(t, folder, "-only", "gogc", "-fuzztime", "1s", "-parts", parts)
			record, err := os.ReadFile(filepath.Join(folder, "bin/torture/report.md"))
			if err != nil {
				t.Error(err)
			}
			if code != want.code {
				t.Errorf("exit code %d", code)
			}
			for i, text := range []string{out, errs, string(record)} {
				for _, expression := range [][]string{want.stdout, want.stderr, want.record}[i] {
					if expression = ofSize.Replace(expression); !regexp.MustCompile(expression).MatchString(text) {
						t.Errorf("no %s in\n%s", expression, text)
					}
				}
			}
			if log, err := os.ReadFile(filepath.Join(folder, "bin/torture/gogc.txt")); err != nil || !bytes.Contains(log, []byte("GOGC is 1")) {
				t.Errorf("the tests did not run under the condition (%v):\n%s", err, log)
			}
		})
	}
}

// unpack writes a module from testdata to a temporary folder, and returns the folder.
func unpack(t *testing.T, name string) string {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/" + name + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for _, f := range archive.Files {
		file := filepath.Join(folder, f.Name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestMissingEmulator(t *testing.T) {
	p := &plan{parts: tests, logs: t.TempDir()}
	r := p.run(t.Context(), &condition{name: "odd", emulator: []string{"qemu-none"}, parts: tests})
	if want := "qemu-none is not installed; make deps does that"; len(r.failures) != 1 || r.failures[0] != want {
		t.Errorf("failures %q, want %q", r.failures, want)
	}
}

func TestExecFlag(t *testing.T) {
	for _, c := range []struct {
		condition condition
		want      string
	}{
		{condition{}, ""},
		{condition{env: []string{"GOGC=1", "GODEBUG=x=1"}}, "-exec=env GOGC=1 GODEBUG=x=1"},
		{condition{emulator: []string{"qemu", "-p", "1"}}, "-exec=env 'COPPICE_EMULATOR=qemu -p 1' qemu -p 1"},
	} {
		if got := strings.Join(c.condition.execFlag(), " "); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

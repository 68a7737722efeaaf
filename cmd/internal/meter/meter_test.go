package meter

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

// newest is a toolchain that is not the go command's own. The go command downloads it, and the
// meter has to copy it.
const newest = "go1.27.4"

// eachToolchain runs test twice, with the go command's own toolchain and with a downloaded one.
func eachToolchain(t *testing.T, test func(t *testing.T)) {
	t.Run("own", test)
	t.Run(newest, func(t *testing.T) {
		testsize.OnlyInFull(t, "it downloads a toolchain")
		t.Setenv("GOTOOLCHAIN", newest)
		if out, err := exec.Command("go", "version").CombinedOutput(); err != nil {
			t.Skipf("no %s here: %s", newest, out)
		}
		test(t)
	})
}

// unpack writes the files of testdata/NAME.txtar into a new folder.
func unpack(t *testing.T, name string) string {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range archive.Files {
		put(t, filepath.Join(dir, f.Name), string(f.Data))
	}
	return dir
}

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// outside returns the environment that a user would have: the environment of this process, but
// without the COPPICE_ variables, followed by o.Env and more.
func outside(o *Overlay, more ...string) []string {
	return slices.Concat(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "COPPICE_") }), o.Env, more)
}

// compile makes an overlay for a module, builds the module's test binary with it, and returns the
// binary's path.
func compile(t *testing.T, module string, replace map[string]string, flags ...string) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "x.test")
	compileTo(t, binary, overlay(t, module, replace), module, flags...)
	return binary
}

func overlay(t *testing.T, module string, replace map[string]string) *Overlay {
	t.Helper()
	o, err := Make(t.Context(), t.TempDir(), module, nil, replace)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func compileTo(t *testing.T, binary string, o *Overlay, module string, flags ...string) {
	t.Helper()
	cmd := exec.Command(o.Go, slices.Concat([]string{"test", "-c", "-overlay", o.File, "-o", binary}, flags, []string{"."})...)
	cmd.Dir, cmd.Env = module, outside(o)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// binaries is a folder for test binaries that several tests use.
var binaries string

func TestMain(m *testing.M) {
	var err error
	if binaries, err = os.MkdirTemp("", "meter"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(binaries)
	os.Exit(code)
}

// built returns the test binary of testdata/NAME.txtar. It is built once for each set of flags and
// shared by all tests. With the flag fake, the meter reads the CPU time from a fake clock that the
// benchmarks advance.
func built(t *testing.T, name string, flags ...string) string {
	t.Helper()
	binary := filepath.Join(binaries, strings.Join(append([]string{os.Getenv("GOTOOLCHAIN"), name}, flags...), "_"))
	if _, err := os.Stat(binary); err == nil {
		return binary
	}
	module := unpack(t, name)
	o := overlay(t, module, nil)
	if slices.Contains(flags, fake) {
		put(t, filepath.Join(filepath.Dir(o.File), "coppice_cpu_unix.go"), fakeCPU)
	}
	compileTo(t, binary, o, module, flags...)
	return binary
}

const (
	fake    = "-tags=fake"
	fakeCPU = `package testing

import (
	"sync/atomic"
	"time"
)

var CoppiceFakeCPU atomic.Int64

func coppiceCPU() time.Duration { return time.Duration(CoppiceFakeCPU.Load()) }
`
)

// measure runs a test binary, and returns the samples and the binary's output.
func measure(t *testing.T, binary, bench string, env []string, flags ...string) ([]Sample, string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "samples")
	cmd := exec.Command(binary, append([]string{"-test.run=^$", "-test.bench=" + bench}, flags...)...)
	cmd.Env = append(outside(&Overlay{}, FileEnv+"="+file), env...)
	out, err := cmd.CombinedOutput()
	if err != nil && !strings.Contains(string(out), "--- FAIL") {
		t.Fatalf("%v: %s", err, out)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatalf("%v; it printed %s", err, out)
	}
	defer f.Close()
	samples, err := Read(f)
	if err != nil {
		t.Fatal(err)
	}
	return samples, string(out)
}

// A printed is a line of benchmark output: it maps each unit to the value.
type printed map[string]float64

// results parses the output of a test binary. The keys are benchmark names, including the -N
// suffix.
func results(t *testing.T, out string) map[string]printed {
	t.Helper()
	all := map[string]printed{}
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") {
			continue
		}
		n, err := strconv.Atoi(f[1])
		if err != nil {
			continue
		}
		p := printed{"n": float64(n)}
		for i := 2; i+1 < len(f); i += 2 {
			if p[f[i+1]], err = strconv.ParseFloat(f[i], 64); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
		}
		all[f[0]] = p
	}
	return all
}

func TestKinds(t *testing.T) {
	eachToolchain(t, func(t *testing.T) {
		const n = 50
		samples, out := measure(t, built(t, "kinds", fake), ".", nil, fmt.Sprintf("-test.benchtime=%dx", n), "-test.cpu=1,2")
		lines := results(t, out)
		at := map[string]Sample{}
		for _, s := range samples {
			name := s.Name
			if s.Procs > 1 {
				name += "-" + strconv.Itoa(s.Procs)
			}
			if _, twice := at[name]; twice {
				t.Errorf("two samples of %s", name)
			}
			at[name] = s
			line, ok := lines[name]
			if !ok {
				t.Fatalf("%s has a sample and no line in\n%s", name, out)
			}
			if s.N != n || line["n"] != n {
				t.Errorf("%s: %d operations, %v printed, want %d", name, s.N, line["n"], n)
			}
			if perOp := s.Wall / n * 1e9; perOp > line["ns/op"]*1.01+1 || perOp < line["ns/op"]*0.99-1 {
				t.Errorf("%s: %v ns/op, printed %v", name, perOp, line["ns/op"])
			}
			perOp := 0.0
			if slices.Contains([]string{"BenchmarkSpin", "BenchmarkParallel", "BenchmarkLoop"}, s.Name) {
				perOp = 0.001
			}
			if math.Abs(s.CPU-n*perOp) > 1e-9 {
				t.Errorf("%s: %v s of CPU, want %v", name, s.CPU, n*perOp)
			}
		}
		names := slices.Collect(maps.Keys(at))
		for _, name := range []string{"BenchmarkSpin", "BenchmarkStopped", "BenchmarkReset", "BenchmarkLoop", "BenchmarkAllocs", "BenchmarkCollect",
			"BenchmarkParallel", "BenchmarkSub/size=1", "BenchmarkSub/a_\"quote\"\\\\x01é\ufffd/deeper"} {
			want := []string{name, name + "-2"}
			for _, name := range want {
				if !slices.Contains(names, name) {
					t.Errorf("no sample of %q", name)
				}
			}
			names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(want, name) })
		}
		if len(names) > 0 {
			t.Errorf("there are samples of %q", names)
		}
		figures(t, at, lines, n)
	})
}

// figures checks what is particular to each benchmark.
func figures(t *testing.T, at map[string]Sample, lines map[string]printed, n float64) {
	for _, suffix := range []string{"", "-2"} {
		// Every operation of BenchmarkStopped runs the collector while the timer is stopped.
		if s := at["BenchmarkStopped"+suffix]; s.Cycles != 0 || s.GCCPU != 0 || float64(s.Mallocs) > n/2 {
			t.Errorf("BenchmarkStopped%s has what was used while the clock was stopped: %+v", suffix, s)
		}
		if s := at["BenchmarkReset"+suffix]; s.Cycles != 0 || s.GCCPU != 0 || float64(s.Mallocs) > n/2 {
			t.Errorf("BenchmarkReset%s has what was used before the reset: %+v", suffix, s)
		}
		if s := at["BenchmarkLoop"+suffix]; float64(s.Mallocs) < 2*n || float64(s.Mallocs) > 2*n+10 {
			t.Errorf("BenchmarkLoop%s: want only what the loop used, two objects each time: %+v", suffix, s)
		}
		if s := at["BenchmarkCollect"+suffix]; s.Cycles != uint32(n) || s.GCCPU <= 0 {
			t.Errorf("BenchmarkCollect%s: want %v cycles, and the collector's time: %+v", suffix, n, s)
		}
		own, got := lines["BenchmarkCollect"+suffix]["own-gc-ns/op"], at["BenchmarkCollect"+suffix].GCCPU/n*1e9
		if math.Abs(got-own) > own/1000+1 {
			t.Errorf("BenchmarkCollect%s: %.0f ns of the collector for each operation, the benchmark itself found %.0f", suffix, got, own)
		}
		s, line := at["BenchmarkAllocs"+suffix], lines["BenchmarkAllocs"+suffix]
		if float64(s.Mallocs/uint64(n)) != line["allocs/op"] || float64(s.Bytes/uint64(n)) != line["B/op"] || line["allocs/op"] != 1000 {
			t.Errorf("BenchmarkAllocs%s: %v objects and %v bytes by %v operations, printed %v", suffix, s.Mallocs, s.Bytes, n, line)
		}
	}
}

// TestOwnCPU compares the meter's CPU time with the CPU time that the benchmarks measure
// themselves. The meter must not find less, because it reads the clock a few microseconds before
// the benchmark starts and again after it ends. It may find more by chance: Linux updates the CPU
// time of a thread on another processor only at timer ticks, and a hypervisor may suspend a virtual
// processor between the two readings, which is charged to the process. The test therefore passes if
// one of several attempts agrees.
func TestOwnCPU(t *testing.T) {
	const attempts = 10
	binary := built(t, "kinds")
	for attempt := 1; ; attempt++ {
		samples, out := measure(t, binary, "Spin|Parallel", nil, "-test.benchtime=20x", "-test.cpu=1,2")
		lines, far := results(t, out), ""
		for _, s := range samples {
			name := s.Name
			if s.Procs > 1 {
				name += "-" + strconv.Itoa(s.Procs)
			}
			// User time and system time are each truncated to a microsecond.
			own, got := lines[name]["own-ns/op"], s.CPU/float64(s.N)*1e9
			if own <= 0 || got < own-1000 {
				t.Fatalf("%s: %.0f ns of CPU for each operation, and the benchmark itself found %.0f of them", name, got, own)
			}
			if got > own*1.05+20_000 {
				far += fmt.Sprintf("%s: %.0f ns of CPU for each operation, the benchmark itself found %.0f\n", name, got, own)
			}
		}
		if len(samples) != 4 {
			t.Fatalf("%d samples, want 4", len(samples))
		}
		if far == "" {
			return
		}
		if attempt == attempts {
			t.Fatalf("in each of %d attempts something differs, at last\n%s", attempts, far)
		}
	}
}

func TestCountAndTime(t *testing.T) {
	samples, out := measure(t, built(t, "kinds", fake), "Spin|Loop", nil, "-test.benchtime=20ms", "-test.count=3")
	names := make([]string, 0, len(samples))
	for _, s := range samples {
		names = append(names, s.Name)
		// A shorter run is not the final one.
		if s.Wall < 0.02 || math.Abs(s.CPU-float64(s.N)/1000) > 1e-6*s.CPU || !strings.Contains(out, fmt.Sprintf("\t %7d\t", s.N)) {
			t.Errorf("%s: %d operations in %v s and %v s of CPU are not the final run of\n%s", s.Name, s.N, s.Wall, s.CPU, out)
		}
	}
	want := []string{"BenchmarkSpin", "BenchmarkSpin", "BenchmarkSpin", "BenchmarkLoop", "BenchmarkLoop", "BenchmarkLoop"}
	if !slices.Equal(names, want) {
		t.Errorf("samples of %q, want %q", names, want)
	}
}

func TestModules(t *testing.T) {
	testsize.OnlyInFull(t, "it builds many modules")
	eachToolchain(t, func(t *testing.T) {
		for _, name := range []string{"vendored", "workspace", "old"} {
			t.Run(name, func(t *testing.T) {
				samples, _ := measure(t, built(t, name), "One", nil, "-test.benchtime=1000x")
				if len(samples) != 1 || samples[0].N != 1000 || samples[0].Mallocs < 1000 || samples[0].Mallocs > 1010 {
					t.Errorf("%+v, want one sample of 1000 operations and objects", samples)
				}
			})
		}
	})
}

func TestFlags(t *testing.T) {
	testsize.OnlyInFull(t, "it builds the standard library in other ways")
	for _, flag := range []string{"-race", "-cover", "-trimpath"} {
		samples, _ := measure(t, built(t, "old", flag), "One", nil, "-test.benchtime=1000x")
		if len(samples) != 1 || samples[0].Mallocs < 1000 {
			t.Errorf("%s: %+v", flag, samples)
		}
	}
}

// TestWithoutVariable verifies that a metered benchmark runs normally under go test, including vet,
// if FileEnv is not set.
func TestWithoutVariable(t *testing.T) {
	module := unpack(t, "old")
	o, err := Make(t.Context(), t.TempDir(), module, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(o.Go, "test", "-overlay", o.File, "-bench=.", "-benchtime=10x", ".")
	cmd.Dir, cmd.Env = module, outside(o, KeepEnv+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil || len(results(t, string(out))) != 1 {
		t.Errorf("%v: %s", err, out)
	}
}

func TestUnwritableFile(t *testing.T) {
	binary := built(t, "kinds", fake)
	cmd := exec.Command(binary, "-test.bench=Loop", "-test.benchtime=10x")
	cmd.Env = outside(&Overlay{}, FileEnv+"="+filepath.Join(t.TempDir(), "no", "folder"))
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "coppice meter: open ") {
		t.Errorf("error %v: %s", err, out)
	}
}

func TestReplace(t *testing.T) {
	eachToolchain(t, func(t *testing.T) {
		module, others := unpack(t, "old"), t.TempDir()
		env, err := goEnv(t.Context(), "go", module, nil)
		if err != nil {
			t.Fatal(err)
		}
		replace := map[string]string{}
		with := func(file, text string) {
			replace[file] = filepath.Join(others, filepath.Base(file))
			put(t, replace[file], text)
		}
		with(filepath.Join(module, "m.go"), "package m\n\nimport \"container/list\"\n\nfunc Make() *int {\n\tsink = list.Added()\n\treturn new(int)\n}\n\nvar sink *int\n")
		with(filepath.Join(env.GOROOT, "src", "container", "list", "added.go"), "package list\n\nfunc Added() *int { return new(int) }\n")
		samples, _ := measure(t, compile(t, module, replace), "One", nil, "-test.benchtime=1000x")
		if len(samples) != 1 || samples[0].Mallocs < 2000 {
			t.Errorf("%+v, want 2000 objects by the files that replace", samples)
		}
	})
}

func TestBadReplace(t *testing.T) {
	module := unpack(t, "old")
	env, err := goEnv(t.Context(), "go", module, nil)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(module, "m.go")
	for want, replace := range map[string]map[string]string{
		"absolute paths":          {"m.go": file},
		"absolute paths; got m":   {file: "m.go"},
		"is in the module cache":  {filepath.Join(env.GOMODCACHE, "example.com", "x@v1.0.0", "x.go"): file},
		"the meter itself repla":  {filepath.Join(env.GOROOT, "src", "testing", "benchmark.go"): file},
		"the meter itself replac": {filepath.Join(env.GOROOT, "src", "testing", "coppice_meter.go"): file},
	} {
		if _, err := Make(t.Context(), t.TempDir(), module, nil, replace); err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, ErrToolchain) {
			t.Errorf("%v: error %v, want %q", replace, err, want)
		}
	}
	if _, err := Make(t.Context(), t.TempDir(), filepath.Join(module, "none"), nil, nil); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v of a folder that is not there, want one line", err)
	}
	t.Setenv("GOTOOLCHAIN", "local")
	later := t.TempDir()
	if err := os.WriteFile(filepath.Join(later, "go.mod"), []byte("module m\n\ngo 1.999\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Make(t.Context(), t.TempDir(), later, nil, nil); err == nil || errors.Is(err, ErrToolchain) || !strings.Contains(err.Error(), "requires go >= 1.999") || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v of a module for a later Go, want one line that says so", err)
	}
	broken := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module m\n\ngo 1.26\n", "go.work": "go 1.26\n\nuse (\n\t.\n\t./gone\n)\n"} {
		if err := os.WriteFile(filepath.Join(broken, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Make(t.Context(), t.TempDir(), broken, nil, nil); err == nil || errors.Is(err, ErrToolchain) || !strings.Contains(err.Error(), "gone") || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v of a workspace without one of its modules, want one line that names the module", err)
	}
}

func TestKeep(t *testing.T) {
	testsize.OnlyInFull(t, "it builds many modules")
	keep, err := os.ReadFile(filepath.FromSlash("../../../benchresult/keep.go"))
	if err != nil {
		t.Fatal(err)
	}
	eachToolchain(t, func(t *testing.T) {
		module := unpack(t, "keep")
		put(t, filepath.Join(module, "coppice", "benchresult", "keep.go"), string(keep))
		binary := compile(t, module, nil)
		run := func(n int, env ...string) map[string]map[string]Kept {
			samples, _ := measure(t, binary, ".", env, fmt.Sprintf("-test.benchtime=%dx", n))
			all := map[string]map[string]Kept{}
			for _, s := range samples {
				all[s.Name] = s.Kept
			}
			return all
		}
		if samples, _ := measure(t, binary, "Loop", nil, "-test.benchtime=1000x"); samples[0].Mallocs > 3010 {
			t.Errorf("Keep allocates: %+v, want 3 objects for each operation", samples)
		}
		const on = KeepEnv + "=1"
		for name, kept := range run(10) {
			if kept != nil {
				t.Errorf("%s kept %v, though KeepEnv is not set", name, kept)
			}
		}
		base, again, longer, bug := run(10, on), run(10, on, "GOMAXPROCS=1"), run(11, on), run(10, on, "BUG=1")
		skipped, bugSkipped := run(10, on, SkipEnv+"=m.node.right"), run(10, on, "BUG=1", SkipEnv+"=m.node.right")
		for name, calls := range map[string]map[string]int{
			"BenchmarkLoop":     {"m.BenchmarkLoop": 10},
			"BenchmarkOnce/sub": {"m.BenchmarkOnce": 1, "m.keepAgain": 1},
			"BenchmarkParallel": {"m.BenchmarkParallel": 10},
			"BenchmarkOrder":    {"m.BenchmarkOrder": 20},
			"BenchmarkNothing":  {},
		} {
			if len(base[name]) != len(calls) || base[name] == nil {
				t.Errorf("%s kept %v", name, base[name])
			}
			for site, n := range calls {
				want := base[name][site]
				if want.Calls != n || want.Values == 0 {
					t.Errorf("%s: %s has %+v, want %d calls", name, site, want, n)
				}
				if got := again[name][site]; got.Hash != want.Hash {
					t.Errorf("%s: %s has hash %s, then %s", name, site, want.Hash, got.Hash)
				}
				if got := longer[name][site]; got.Hash == want.Hash && site != "m.keepAgain" {
					t.Errorf("%s: %s has one hash for 10 operations and for 11", name, site)
				}
				if got := bug[name][site]; (got.Hash == want.Hash) != (name == "BenchmarkParallel" || site == "m.keepAgain") {
					t.Errorf("%s: %s has hash %s, with a bug %s", name, site, want.Hash, got.Hash)
				}
			}
		}
		const name, site = "BenchmarkLoop", "m.BenchmarkLoop"
		if got := base[name][site].Fields["m.node"]; !slices.Equal(got, []string{"left", "right", "serial"}) {
			t.Errorf("fields %q of m.node", got)
		}
		if a, b := skipped[name][site].Hash, bugSkipped[name][site].Hash; a != b || a == base[name][site].Hash {
			t.Errorf("without a field the hashes are %s and %s", a, b)
		}
	})
}

package profiles

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

// gone contains the functions that older toolchains have and the current one lacks.
var gone = map[string]bool{"(*mspan).sweep": true}

// TestRuntimeNamesExist verifies that the runtime has a function of each name. If a toolchain has
// renamed a function, its samples are not assigned to any class.
func TestRuntimeNamesExist(t *testing.T) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "src", "runtime", "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no source of the runtime: %v", err)
	}
	names := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				names[receiver(f)+f.Name.Name] = true
			}
		}
	}
	for name := range works {
		if !names[name] && !gone[name] {
			t.Errorf("the runtime has no function %s", name)
		}
	}
	for _, p := range prefixes {
		found := false
		for name := range names {
			found = found || strings.HasPrefix(name, p.prefix)
		}
		if !found {
			t.Errorf("the runtime has no function that begins with %s", p.prefix)
		}
	}
}

func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	if p, ok := f.Recv.List[0].Type.(*ast.StarExpr); ok {
		if id, ok := p.X.(*ast.Ident); ok {
			return "(*" + id.Name + ")."
		}
	}
	return "?"
}

// built returns a profile with the given stacks. A stack is a list of functions, innermost first,
// separated by spaces. "f;g" is a call of f that was inlined into g.
func built(types []string, samples map[string][]int64) *profile.Profile {
	p := &profile.Profile{PeriodType: &profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Period: 10_000_000}
	for _, t := range types {
		p.SampleType = append(p.SampleType, &profile.ValueType{Type: t})
	}
	for stack, values := range samples {
		s := &profile.Sample{Value: values}
		for _, calls := range strings.Split(stack, " ") {
			l := &profile.Location{ID: uint64(len(p.Location) + 1)}
			for _, call := range strings.Split(calls, ";") {
				name, file, found := strings.Cut(call, "@")
				if !found {
					file = "/src/x/" + name + ".go"
				}
				f := &profile.Function{ID: uint64(len(p.Function) + 1), Name: name, Filename: file}
				p.Function = append(p.Function, f)
				l.Line = append(l.Line, profile.Line{Function: f, Line: 7})
			}
			p.Location = append(p.Location, l)
			s.Location = append(s.Location, l)
		}
		p.Sample = append(p.Sample, s)
	}
	return p
}

// TestClasses verifies the class of stacks from both supported toolchains. The weight of each stack
// is a power of two, so that the sums reveal which stacks were counted.
func TestClasses(t *testing.T) {
	const user = " example.com/x.F example.com/x.main runtime.goexit"
	samples := map[string][]int64{}
	want := map[work]int{}
	weight := 1
	add := func(w work, stack string) {
		samples[stack] = []int64{int64(weight), int64(weight) * 10_000_000}
		want[w] += weight
		weight *= 2
	}
	add(malloc, "runtime.nextFreeFast;runtime.mallocgcSmallScanNoHeaderSC7 runtime.newobject"+user)
	add(malloc, "runtime.mallocgcTinySC2"+user) // Go 1.27 calls it directly
	add(malloc, "runtime.memmove runtime.growslice"+user)
	add(malloc, "runtime.memmove runtime.slicebytetostring"+user)
	add(malloc, "runtime.rawstringtmp runtime.concatstrings runtime.concatstring2"+user)
	add(malloc, "runtime.mallocgc reflect.unsafe_New@/go/src/runtime/malloc.go reflect.New@/go/src/reflect/value.go"+user)
	add(assist, "runtime.gcDrainN runtime.gcAssistAlloc1 runtime.gcAssistAlloc.func2 runtime.systemstack runtime.gcAssistAlloc runtime.mallocgc"+user)
	add(mark, "runtime.scanobject runtime.gcDrain runtime.gcDrainMarkWorkerDedicated;runtime.gcBgMarkWorker.func2 runtime.systemstack runtime.gcBgMarkWorker")
	add(idle, "runtime.scanobject runtime.gcDrain runtime.gcDrainMarkWorkerIdle;runtime.gcBgMarkWorker.func2 runtime.systemstack runtime.gcBgMarkWorker")
	add(start, "runtime.stopTheWorldWithSema runtime.gcStart.func3 runtime.systemstack runtime.gcStart runtime.mallocgc"+user)
	add(sweep, "runtime.(*sweepLocked).sweep runtime.(*mcentral).cacheSpan runtime.mallocgc"+user)
	add(sweep, "runtime.sweepone runtime.deductSweepCredit runtime.mallocgcLarge runtime.mallocgc"+user)
	add(sweep, "runtime.bgsweep")
	add(barrier, "gcWriteBarrier runtime.gcWriteBarrier2"+user)
	add(barrier, "runtime.findObject runtime.wbBufFlush1 runtime.wbBufFlush.func1 runtime.systemstack runtime.wbBufFlush gcWriteBarrier"+user)
	add(barrier, "runtime.bulkBarrierPreWrite runtime.typedmemmove"+user)
	add(barrier, "runtime.bulkBarrierPreWriteSrcOnly runtime.growslice"+user)
	add(other, "runtime.memmove runtime.typedmemmove"+user)
	add(other, "example.com/x.F runtime.goexit")
	add(other, "runtime.bgscavenge")

	got, err := (&Scope{}).CPU(built([]string{"samples", "cpu"}, samples))
	if err != nil {
		t.Fatal(err)
	}
	all := weight - 1 - want[idle]
	c := got.Classes
	if c.Samples != all || got.Idle != want[idle] || got.Harness != 0 {
		t.Fatalf("%d samples, %d idle, %d of the harness; want %d, %d, 0", c.Samples, got.Idle, got.Harness, all, want[idle])
	}
	for _, class := range []struct {
		name string
		got  float64
		want int
	}{
		{"malloc", c.Malloc, want[malloc]}, {"assist", c.Assist, want[assist]}, {"mark", c.Mark, want[mark] + want[start]},
		{"sweep", c.Sweep, want[sweep]}, {"barrier", c.Barrier, want[barrier]}, {"other", c.Other, want[other]},
	} {
		if w := float64(class.want) / float64(all); class.got != w {
			t.Errorf("%s is %v, want %v", class.name, class.got, w)
		}
	}
	// Work of the collector inside mallocgc must not be counted as malloc of the place.
	sum := 0
	for k, n := range got.Malloc {
		if k.Place.Package != "example.com/x" || k.Place.Function != "F" {
			t.Errorf("malloc at %+v", k)
		}
		if leaf := k.Leaf.Function; leaf != "" && leaf != "New" {
			t.Errorf("the leaf is %+v, want reflect.New", k.Leaf)
		}
		sum += n
	}
	if sum != want[malloc] {
		t.Errorf("%d samples of malloc at places, want %d", sum, want[malloc])
	}
}

// TestNanoseconds verifies that the number of samples is computed for a server whose profiles
// contain only nanoseconds.
func TestNanoseconds(t *testing.T) {
	p := built([]string{"cpu"}, map[string][]int64{"runtime.mallocgc example.com/x.F": {30_000_000}, "example.com/x.F": {10_000_000}})
	if got, err := (&Scope{}).CPU(p); err != nil || got.Classes.Samples != 4 || got.Classes.Malloc != 0.75 {
		t.Errorf("%+v, %v; want 4 samples, 0.75 of malloc", got, err)
	}
}

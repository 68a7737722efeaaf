package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coppice-go/coppice/workloads/internal/selfreport"
	"github.com/coppice-go/coppice/workloads/treeserver/source"
)

// lived runs all phases of a strategy in the test's process.
func lived(t *testing.T, strategy string, files int) ([]string, selfreport.Report) {
	t.Helper()
	dir := t.TempDir()
	if err := writeFiles(dir, files); err != nil {
		t.Fatal(err)
	}
	lines, figures, err := life(strategy, dir, files, func(name string) ([]string, selfreport.Report, error) {
		return phases[name](phase{strategy, dir, files, time.Now()})
	})
	if err != nil {
		t.Fatalf("%s: %v", strategy, err)
	}
	return lines, figures
}

// TestStrategiesAgree verifies that all strategies give the answers in ../expect at several depths,
// and report the figures of all columns.
func TestStrategiesAgree(t *testing.T) {
	for depth, name := range map[int]string{0: "00", 2: "02", 5: "05"} {
		want, err := os.ReadFile("../expect/answers/" + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range strategies {
			lines, figures := lived(t, s.name, 1<<depth)
			if got := strings.Join(lines, "\n") + "\n"; got != string(want) {
				t.Errorf("depth %d: %s prints\n%swant\n%s", depth, s.name, got, want)
			}
			all := strings.Fields("edit_p50_s edit_p99_s references_p50_s references_p99_s lint_p50_s lint_p99_s trace_cpu_s start_s restart_s")
			if s.name == "flat-mapped" {
				all = append(all, "first_s", "save_s")
			}
			for _, metric := range all {
				if figures[metric] <= 0 {
					t.Errorf("depth %d: %s: %s is %v", depth, s.name, metric, figures[metric])
				}
			}
		}
	}
}

// TestQueriesFind verifies that the queries find something: violations of each rule, and names in
// both languages. Otherwise, equal answers would prove nothing.
func TestQueriesFind(t *testing.T) {
	const files = 64
	dir := t.TempDir()
	if err := writeFiles(dir, files); err != nil {
		t.Fatal(err)
	}
	for _, s := range strategies {
		h := s.make(files)
		if err := load(h, dir, files); err != nil {
			t.Fatal(err)
		}
		rules := map[rule]int{}
		for _, p := range h.lint(nil) {
			rules[p.rule]++
		}
		for why := elseAfterReturn; why <= looseEquality; why++ {
			if rules[why] < 5 {
				t.Errorf("%s finds rule %d in %d places", s.name, why, rules[why])
			}
		}
		inGo, inJS := 0, 0
		for _, p := range h.references("state", nil) {
			if source.IsGo(int(p.file)) {
				inGo++
			} else {
				inJS++
			}
		}
		if inGo < 100 || inJS < 5 {
			t.Errorf("%s finds a name %d times in Go, and in %d files of JavaScript", s.name, inGo, inJS)
		}
		if found := h.references("thisNameIsNowhere", nil); len(found) > 0 {
			t.Errorf("%s finds what is nowhere: %v", s.name, found)
		}
		if err := h.close(); err != nil {
			t.Error(err)
		}
	}
}

// answered returns the answers about the files. It fails if the strategies do not agree.
func answered(t *testing.T, texts map[int]string) (references, findings []place) {
	t.Helper()
	files := 4
	for i, s := range strategies {
		h := s.make(files)
		load := h.loader()
		for file, text := range texts {
			if err := load(file, append(make([]byte, 0, len(text)+1), text...)); err != nil {
				t.Fatal(err)
			}
		}
		var r, f digest
		found, linted := h.references("x", nil), h.lint(nil)
		r.add(0, found)
		f.add(0, linted)
		if i == 0 {
			references, findings = found, linted
		}
		var wantR, wantF digest
		wantR.add(0, references)
		wantF.add(0, findings)
		if r != wantR || f != wantF {
			t.Errorf("%s: references %v, findings %v; want %v, %v", s.name, found, linted, references, findings)
		}
		if err := h.close(); err != nil {
			t.Error(err)
		}
	}
	return references, findings
}

// TestPlaces verifies that a name is found wherever it may occur in Go and JavaScript, and that the
// rules report the right positions.
func TestPlaces(t *testing.T) {
	const text = `package x

import x "x"

type x[x any] struct{ x x }

func (x *T) x(x, y x) (x x) {
x:
	for x := range x {
		switch x := x.(type) {
		case x:
			continue x
		}
		x.x[x](x...)
		_ = x{x: x, z: func(x x) {}}
	}
	return
}
`
	references, findings := answered(t, map[int]string{0: text, 3: "let x = a.x; function f(x, {x: y = x}) { return x.y[x] }"})
	inGo := 0
	for _, p := range references {
		if p.file == 0 {
			inGo++
			if text[p.at-1] != 'x' {
				t.Errorf("a reference at %d", p.at)
			}
		}
	}
	if want := strings.Count(text, "x") - 1; inGo != want { // the path of the import is not a name
		t.Errorf("%d references in Go, want %d", inGo, want)
	}
	if last := references[len(references)-1]; last != (place{3, 6, reference}) {
		t.Errorf("in JavaScript %v", last)
	}
	if len(findings) != 1 || findings[0].rule != unusedParameter || text[findings[0].at-1] != 'y' {
		t.Errorf("findings %v", findings)
	}
}

func TestRules(t *testing.T) {
	for text, want := range map[string][]rule{
		"func f(a, b int, _ string) { g(a) }":                            {unusedParameter},
		"func f(a int) { _ = s.a }":                                      {unusedParameter},
		"func f(a int)":                                                  nil,
		"func f(a int) {}; var _ = func(b int) {}":                       {unusedParameter},
		"func f(a int) { func() { return a }() }":                        nil,
		"func f() { if c { return } else { g() } }":                      {elseAfterReturn},
		"func f() { if c { return } else if d { g() } }":                 nil,
		"func f() { if c { g() } else { return } }":                      nil,
		"func f() { if c {} else {} }":                                   nil,
		"var f = func() { if c == true { return 1 } else { return 2 } }": {elseAfterReturn, boolCompared},
		"const c = false != d; var _ = true && e == f":                   {boolCompared},
	} {
		_, findings := answered(t, map[int]string{1: "package p\n" + text})
		rules := map[rule]int{}
		for _, p := range findings {
			rules[p.rule]++
		}
		for _, why := range want {
			rules[why]--
		}
		for why, n := range rules {
			if n != 0 {
				t.Errorf("%s: rule %d is found %d times more than it should be", text, why, n)
			}
		}
	}
	_, findings := answered(t, map[int]string{3: "a == b, c != d, e === f, g !== h"})
	if len(findings) != 1 || findings[0] != (place{3, 2, looseEquality}) {
		t.Errorf("in JavaScript %v", findings)
	}
}

// TestWrongFile verifies that the error for a file that does not parse names the file, and that the
// file's previous tree remains.
func TestWrongFile(t *testing.T) {
	for _, s := range strategies {
		h := s.make(4)
		change := h.updater()
		for file, text := range map[int]string{0: "package p; var x = x", 3: "let x = 1;"} {
			if err := change(file, []byte(text)); err != nil {
				t.Fatal(err)
			}
			if err := change(file, []byte("package p {")); err == nil || !strings.Contains(err.Error(), source.Name(file)) {
				t.Errorf("%s: error %v", s.name, err)
			}
		}
		if n := len(h.references("x", nil)); n != 3 {
			t.Errorf("%s: %d places after files that do not parse, want 3", s.name, n)
		}
	}
}

// TestKept verifies that after a restart, the trees of unchanged files are read from the stored
// forests, and only changed files are parsed. If a forest is damaged, all files are parsed.
func TestKept(t *testing.T) {
	const files = 32
	dir := t.TempDir()
	if err := writeFiles(dir, files); err != nil {
		t.Fatal(err)
	}
	p := phase{"flat-mapped", dir, files, time.Now()}
	if _, _, err := p.first(); err != nil {
		t.Fatal(err)
	}
	if err := changeClosed(dir, files); err != nil {
		t.Fatal(err)
	}
	m := newMapped(files)
	if err := m.open(dir); err != nil {
		t.Fatal(err)
	}
	if err := load(m, dir, files); err != nil {
		t.Fatal(err)
	}
	if n := m.goCache.Len() + m.jsCache.Len(); n != files {
		t.Errorf("%d trees are kept", n)
	}
	for i, key := range m.keys {
		_, inGo := m.goCache.Lookup(key)
		_, inJS := m.jsCache.Lookup(key)
		if kept := inGo || inJS; kept != (i != 0) {
			t.Errorf("the tree of file %d is kept: %v", i, kept)
		}
	}
	if err := m.close(); err != nil {
		t.Error(err)
	}
	name := filepath.Join(dir, "go.forest")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data[:len(data)/2], 0o666); err != nil {
		t.Fatal(err)
	}
	h, places, _, err := p.start()
	if err != nil || places == 0 {
		t.Fatalf("with half of a file %d places, error %v", places, err)
	}
	if err := h.close(); err != nil {
		t.Error(err)
	}
}

// TestEditedTree verifies that after many edits, each of which reuses the memory of the previous
// tree, a flat tree equals one made from the last text.
func TestEditedTree(t *testing.T) {
	file := func(h *flats, i int) string {
		var b strings.Builder
		var err error
		if source.IsGo(i) {
			_, err = h.goTrees[i].Compact().WriteTo(&b)
		} else {
			_, err = h.jsTrees[i].Compact().WriteTo(&b)
		}
		if err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for _, i := range []int{2, 3} {
		h, fresh := newFlats(4), newFlats(4)
		change := h.updater()
		text := source.File(i)
		for n := range uint64(20) {
			text = source.Edit(nil, text, n)
			if err := change(i, text); err != nil {
				t.Fatal(err)
			}
		}
		if err := fresh.updater()(i, text); err != nil {
			t.Fatal(err)
		}
		if file(h, i) != file(fresh, i) {
			t.Errorf("%s is another tree after edits", source.Name(i))
		}
	}
}

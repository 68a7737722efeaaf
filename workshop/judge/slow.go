package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const slowHead = "| module | added to CPU/op | measured | rounds | verdict |\n| --- | ---: | ---: | ---: | --- |\n"

// slowed is the file that slow adds to each package with benchmarks, with the package's name and
// the number of turns. Each operation of a benchmark calls coppiceSlowed. The turns depend on each
// other, so the processor cannot overlap them. The modules may require an old version of Go, which
// does not have range over integers.
const slowed = `package %s

var coppiceState uint64 = 1

func coppiceSlowed() {
	x := coppiceState
	for i := 0; i < %d; i++ {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	coppiceState = x
}
`

// slowedFile is the name of this file, after the name of its package.
const slowedFile = "_slowed_test.go"

// slow measures how coppice prove judges a benchmark that really becomes slower: by a loop that
// each operation runs, and that takes the given parts of an operation's CPU time, in percent. It
// returns a row for each. If the parameter only is true, slow prepares the copy, and returns the
// command that measures it.
func (j *judge) slow(ctx context.Context, m module, percents []int, only bool) (string, error) {
	fmt.Fprintf(j.stderr, "%s: a copy\n", m.name)
	folder, err := j.copy(ctx, m)
	if err != nil {
		return "", err
	}
	pkg := filepath.Join(folder, filepath.FromSlash(m.pkg))
	names, err := insertCalls(pkg)
	if err == nil {
		err = setTurns(pkg, names, 0)
	}
	if err == nil {
		err = commit(ctx, folder, "with the loop, which does nothing yet")
	}
	if err != nil {
		return "", err
	}
	args := []string{"prove", "-json", "-base", "HEAD", "-rounds", "20", "-equal", "none", "-bench", m.bench, m.pkg}
	if only {
		return fmt.Sprintf("cd %s && %s %s", folder, j.coppice, quoted(args)), nil
	}
	prove := func(turns int) (p proved, err error) {
		if err := setTurns(pkg, names, turns); err != nil {
			return p, err
		}
		fmt.Fprintf(j.stderr, "%s: coppice %s\n", m.name, quoted(args))
		cmd := exec.CommandContext(ctx, j.coppice, args...)
		cmd.Dir, cmd.Stderr = folder, j.stderr
		text, err := cmd.Output()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			return p, err
		}
		if err := json.Unmarshal(text, &p); err != nil { // an exit code is a verdict, but no output is a failure
			return p, fmt.Errorf("coppice %s: %w", quoted(args), err)
		}
		return p, nil
	}
	first, err := prove(1)
	if err != nil {
		return "", err
	}
	var rows []string
	for _, percent := range percents {
		turn := timeTurn()
		turns := int(float64(percent) / 100 * first.cpu().Before / turn)
		p, err := prove(turns)
		if err != nil {
			return strings.Join(rows, "\n"), err
		}
		rows = append(rows, p.row(m, float64(turns)*turn))
	}
	return strings.Join(rows, "\n"), nil
}

// A proved holds the JSON output of coppice prove, with only the fields that a row shows.
type proved struct {
	Comparisons []struct {
		Subjects []struct {
			Rounds  int
			Metrics []provedMetric
		}
	}
	Verdict string
}

// A provedMetric is a metric with its base value, Before, in seconds for a time.
type provedMetric struct {
	metric
	Before float64
}

// cpu returns the CPU time of the first benchmark, or the zero value if it has none.
func (p proved) cpu() (m provedMetric) {
	for _, c := range p.Comparisons {
		for _, s := range c.Subjects {
			if i := slices.IndexFunc(s.Metrics, func(m provedMetric) bool { return m.Name == "cpu" }); i >= 0 {
				return s.Metrics[i]
			}
		}
	}
	return m
}

// row formats a row of the table. added is the CPU time of the added loop, in seconds.
func (p proved) row(m module, added float64) string {
	cpu, rounds := p.cpu(), 0
	if len(p.Comparisons) > 0 && len(p.Comparisons[0].Subjects) > 0 {
		rounds = p.Comparisons[0].Subjects[0].Rounds
	}
	return fmt.Sprintf("| %s | %s | %s [%s, %s] | %d | %s |", m.title(), percent(1+added/cpu.Before), percent(cpu.Ratio), percent(cpu.Lo), percent(cpu.Hi), rounds, p.Verdict)
}

// insertCalls inserts a call of coppiceSlowed at the start of each benchmark loop in the test files
// of a folder, and returns the names of their packages.
func insertCalls(folder string) (names []string, err error) {
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		var at []int // in ascending order
		ast.Inspect(file, func(n ast.Node) bool {
			if body := benchmarkLoop(n); body != nil {
				at = append(at, fset.Position(body.Lbrace).Offset+1)
			}
			return true
		})
		if len(at) == 0 {
			continue
		}
		for _, offset := range slices.Backward(at) {
			text = slices.Insert(text, offset, []byte(" coppiceSlowed();")...)
		}
		if err := os.WriteFile(name, text, 0o644); err != nil {
			return nil, err
		}
		if !slices.Contains(names, file.Name.Name) {
			names = append(names, file.Name.Name)
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s has no loop over b.N or b.Loop", folder)
	}
	return names, nil
}

// benchmarkLoop returns the body of a loop over b.N or b.Loop, and nil for any other node.
func benchmarkLoop(n ast.Node) *ast.BlockStmt {
	var over ast.Expr
	var body *ast.BlockStmt
	switch n := n.(type) {
	case *ast.ForStmt:
		over, body = n.Cond, n.Body
		if compared, ok := over.(*ast.BinaryExpr); ok {
			over = compared.Y
		}
		if call, ok := over.(*ast.CallExpr); ok {
			over = call.Fun
		}
	case *ast.RangeStmt:
		over, body = n.X, n.Body
	}
	selector, ok := over.(*ast.SelectorExpr)
	if !ok || selector.Sel.Name != "N" && selector.Sel.Name != "Loop" {
		return nil
	}
	if b, ok := selector.X.(*ast.Ident); !ok || b.Name != "b" {
		return nil
	}
	return body
}

// setTurns writes the file slowed for each of the packages in a folder.
func setTurns(folder string, packages []string, turns int) error {
	for _, name := range packages {
		if err := os.WriteFile(filepath.Join(folder, name+slowedFile), fmt.Appendf(nil, slowed, name, turns), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// timeTurn measures the duration of a turn of coppiceSlowed on this machine, in seconds.
func timeTurn() float64 {
	const turns = 200_000_000
	x, start := uint64(1), time.Now()
	for range turns {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	took := time.Since(start).Seconds()
	if x == 0 {
		panic("judge: a turn maps 1 to 0") // it cannot; the result is used so that the loop stays
	}
	return took / turns
}

// Command expr parses and compiles expressions with github.com/expr-lang/expr. The problem is
// in ../spec.md.
package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/expr-lang/expr/compiler"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/vm"

	"github.com/coppice-go/coppice/workloads/foreign/driver"
)

// passes is the number of times a run at the default depth compiles all expressions.
const passes = 8

// expressions compiles many expressions, one after another.
type expressions struct{ texts []string }

func main() { driver.Main("expr", &expressions{}) }

// Load reads the expressions in the module's test data that compile.
func (e *expressions) Load(depth int) (int, error) {
	folder, err := driver.Module("expr", "github.com/expr-lang/expr")
	if err != nil {
		return 0, err
	}
	data, err := os.ReadFile(filepath.Join(folder, "testdata", "generated.txt"))
	if err != nil {
		return 0, err
	}
	for text := range strings.Lines(string(data)) {
		text = strings.TrimSpace(text)
		driver.Reset()
		if _, _, err := compile(text); err == nil {
			e.texts = append(e.texts, text)
		}
	}
	if len(e.texts) == 0 {
		return 0, errors.New("the module's test data has no expressions")
	}
	return driver.Operations(depth, passes), nil
}

// compile does what expr.Eval does before it runs an expression.
func compile(text string) (*parser.Tree, *vm.Program, error) {
	tree, err := parser.Parse(text)
	if err != nil {
		return nil, nil, err
	}
	program, err := compiler.Compile(tree, nil)
	return tree, program, err
}

// Operate compiles all expressions. The tree and the program of each expression are dead when
// the next one is compiled.
func (e *expressions) Operate() error {
	for _, text := range e.texts {
		driver.Reset()
		if _, _, err := compile(text); err != nil {
			return err
		}
	}
	return nil
}

// Sum compiles all expressions once more, prints each tree, and visits each program.
func (e *expressions) Sum() (uint64, error) {
	s := driver.NewSum()
	for _, text := range e.texts {
		driver.Reset()
		tree, program, err := compile(text)
		if err != nil {
			return 0, err
		}
		s.Text(tree.Node.String())
		for i, op := range program.Bytecode {
			s.Number(int(op))
			s.Number(program.Arguments[i])
		}
	}
	return uint64(s), nil
}

// Command goja parses JavaScript with the parser of github.com/dop251/goja. The problem is in
// ../spec.md.
package main

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/parser"

	"github.com/coppice-go/coppice/workloads/foreign/driver"
)

// parses is the number of parses of a run at the default depth.
const parses = 24

// script parses one script again and again.
type script struct {
	text    string
	program *ast.Program
}

func main() { driver.Main("goja", &script{}) }

// Load generates the script.
func (s *script) Load(depth int) (int, error) {
	s.text = source(1 << 20)
	return driver.Operations(depth, parses), nil
}

// Operate parses the script. The previous tree is dead.
func (s *script) Operate() (err error) {
	s.program = nil
	driver.Reset()
	s.program, err = parser.ParseFile(nil, "script.js", s.text, 0, parser.WithDisableSourceMaps)
	return err
}

// Sum traverses the tree.
func (s *script) Sum() (uint64, error) {
	w := walk{sum: driver.NewSum(), seen: map[uintptr]int{}}
	w.value(s.program)
	return uint64(w.sum), nil
}

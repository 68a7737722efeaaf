// Command gopherlua parses and compiles Lua with github.com/yuin/gopher-lua. The problem is in
// ../spec.md.
package main

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"

	"github.com/coppice-go/coppice/workloads/foreign/driver"
)

// compiles is the number of compilations of a run at the default depth.
const compiles = 12

// chunk compiles one source again and again.
type chunk struct {
	text string
	code *lua.FunctionProto
}

func main() { driver.Main("gopherlua", &chunk{}) }

// Load generates the source.
func (c *chunk) Load(depth int) (int, error) {
	c.text = source(1 << 20)
	return driver.Operations(depth, compiles), nil
}

// Operate parses and compiles the source. The result of the previous operation is dead.
func (c *chunk) Operate() error {
	c.code = nil
	driver.Reset()
	tree, err := parse.Parse(strings.NewReader(c.text), "source.lua")
	if err != nil {
		return err
	}
	c.code, err = lua.Compile(tree, "source.lua")
	return err
}

// Sum traverses the functions, with their instructions, constants, and the lines and names for
// debuggers.
func (c *chunk) Sum() (uint64, error) {
	s := driver.NewSum()
	add(&s, c.code)
	return uint64(s), nil
}

func add(s *driver.Sum, f *lua.FunctionProto) {
	for _, n := range []int{f.LineDefined, f.LastLineDefined, int(f.NumUpvalues), int(f.NumParameters), int(f.IsVarArg), int(f.NumUsedRegisters)} {
		s.Number(n)
	}
	s.Number(len(f.Code))
	for i, instruction := range f.Code {
		s.Number(int(instruction))
		s.Number(f.DbgSourcePositions[i])
	}
	for _, constant := range f.Constants {
		s.Text(constant.String())
	}
	for _, local := range f.DbgLocals {
		s.Text(local.Name)
		s.Number(local.StartPc)
		s.Number(local.EndPc)
	}
	for _, call := range f.DbgCalls {
		s.Text(call.Name)
		s.Number(call.Pc)
	}
	for _, name := range f.DbgUpvalues {
		s.Text(name)
	}
	s.Number(len(f.FunctionPrototypes))
	for _, inner := range f.FunctionPrototypes {
		add(s, inner)
	}
}

package main

import (
	"testing"

	"github.com/dop251/goja/ast"

	"github.com/coppice-go/coppice/workloads/foreign/driver/drivertest"
)

func TestScript(t *testing.T) {
	s := &script{}
	drivertest.Check(t, s, func() { s.program.Body[3].(*ast.FunctionDeclaration).Function.Name.Name += "x" })
	if len(s.text) < 1<<20 {
		t.Errorf("the script has %d bytes", len(s.text))
	}
}

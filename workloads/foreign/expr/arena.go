//go:build coppice_arena

package main

import (
	"github.com/expr-lang/expr/compiler"
	"github.com/expr-lang/expr/parser"

	"github.com/coppice-go/coppice/workloads/foreign/driver"
)

func init() { parser.CoppiceArena, compiler.CoppiceArena = driver.Arena(), driver.Arena() }

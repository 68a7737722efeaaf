//go:build coppice_arena

package main

import (
	"github.com/dop251/goja/parser"

	"github.com/coppice-go/coppice/workloads/foreign/driver"
)

func init() { parser.CoppiceArena = driver.Arena() }

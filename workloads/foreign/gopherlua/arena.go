//go:build coppice_arena

package main

import (
	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"

	"github.com/coppice-go/coppice/workloads/foreign/driver"
)

func init() { lua.CoppiceArena, parse.CoppiceArena = driver.Arena(), driver.Arena() }

//go:build coppice_arena

package main

import (
	"github.com/vektah/gqlparser/v2/parser"

	"github.com/coppice-go/coppice/workloads/foreign/driver"
)

func init() { parser.CoppiceArena = driver.Arena() }

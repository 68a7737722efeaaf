//go:build coppice_arena

package main

import (
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/coppice-go/coppice/workloads/foreign/driver"
)

func init() { sqlparser.CoppiceArena = driver.Arena() }

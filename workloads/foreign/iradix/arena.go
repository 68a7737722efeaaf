//go:build coppice_arena

package main

import (
	iradix "github.com/hashicorp/go-immutable-radix"

	"github.com/coppice-go/coppice/workloads/foreign/driver"
)

func init() { iradix.CoppiceArena = driver.Arena() }

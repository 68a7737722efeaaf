//go:build coppice_arena

package main

import (
	"golang.org/x/net/html"

	"github.com/coppice-go/coppice/workloads/foreign/driver"
)

func init() { html.CoppiceArena = driver.Arena() }

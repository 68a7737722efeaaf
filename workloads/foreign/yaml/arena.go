//go:build coppice_arena

package main

import (
	"go.yaml.in/yaml/v4"

	"github.com/coppice-go/coppice/workloads/foreign/driver"
)

func init() { yaml.SetCoppiceArena(driver.Arena()) }

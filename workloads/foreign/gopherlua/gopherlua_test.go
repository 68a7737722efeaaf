package main

import (
	"testing"

	"github.com/coppice-go/coppice/workloads/foreign/driver/drivertest"
)

func TestChunk(t *testing.T) {
	c := &chunk{}
	drivertest.Check(t, c, func() { c.code.FunctionPrototypes[3].DbgSourcePositions[0]++ })
	if len(c.text) < 1<<20 {
		t.Errorf("the source has %d bytes", len(c.text))
	}
}

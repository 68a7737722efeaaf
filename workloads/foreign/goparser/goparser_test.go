package main

import (
	"testing"

	"github.com/coppice-go/coppice/workloads/foreign/driver/drivertest"
)

func TestSources(t *testing.T) {
	s := &sources{}
	drivertest.Check(t, s, func() { s.trees[0].Name.Name += "x" })
	if len(s.texts) != 1 {
		t.Errorf("%d files at depth 0", len(s.texts))
	}
}

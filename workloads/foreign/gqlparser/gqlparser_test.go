package main

import (
	"testing"

	"github.com/coppice-go/coppice/workloads/foreign/driver/drivertest"
)

func TestSchema(t *testing.T) {
	s := &schema{}
	drivertest.Check(t, s, func() { s.document.Definitions[7].Fields[1].Type.Position.Line++ })
	if len(s.source.Input) < 500<<10 {
		t.Errorf("the schema has %d bytes", len(s.source.Input))
	}
}

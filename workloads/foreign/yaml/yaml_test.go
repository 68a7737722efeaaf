package main

import (
	"testing"

	"github.com/coppice-go/coppice/workloads/foreign/driver/drivertest"
)

func TestDocument(t *testing.T) {
	d := &document{}
	drivertest.Check(t, d, func() { d.node.Content[0].Content[1].LineComment += "x" })
	if len(d.text) < 1<<20 {
		t.Errorf("the document has %d bytes", len(d.text))
	}
}

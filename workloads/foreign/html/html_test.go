package main

import (
	"testing"

	"github.com/coppice-go/coppice/workloads/foreign/driver/drivertest"
)

func TestPage(t *testing.T) {
	p := &page{}
	drivertest.Check(t, p, func() { p.doc.LastChild.LastChild.LastChild.Data += "x" })
	if len(p.text) < 1<<20 {
		t.Errorf("the page has %d bytes", len(p.text))
	}
}

package main

import (
	"testing"

	"github.com/coppice-go/coppice/workloads/foreign/driver/drivertest"
)

func TestExpressions(t *testing.T) {
	e := &expressions{}
	drivertest.Check(t, e, func() { e.texts[0] = "17 + foo" })
	if len(e.texts) < 40000 {
		t.Errorf("only %d expressions", len(e.texts))
	}
}

package main

import (
	"testing"

	"github.com/coppice-go/coppice/workloads/foreign/driver/drivertest"
)

func TestQueries(t *testing.T) {
	q := &queries{}
	drivertest.Check(t, q, func() { q.texts[0] = "select 17" })
	if len(q.texts) < 3000 {
		t.Errorf("only %d queries", len(q.texts))
	}
}

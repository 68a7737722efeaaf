package main

import (
	"testing"

	"github.com/coppice-go/coppice/workloads/foreign/driver/drivertest"
)

func TestGroup(t *testing.T) {
	p := &program{seed: 5}
	drivertest.Check(t, p, func() { p.seed++ })
	figures := p.Figures()
	if hits := figures["hits_percent"]; hits < 60 || hits > 95 || figures["cached"] < 1000 || figures["p999_s"] <= 0 {
		t.Error(figures)
	}
}

func TestForms(t *testing.T) {
	drivertest.Forms(t, "groupcache", map[string]int{"hand": 50, "cache": 19, "otter": 18})
}

package main

import (
	"testing"

	"github.com/coppice-go/coppice/workloads/foreign/driver/drivertest"
)

func TestModel(t *testing.T) {
	saved := false
	p := &program{saved: &saved}
	drivertest.Check(t, p, func() {
		p.text = p.text[:len(p.text)/2]
		if err := p.Operate(); err != nil {
			t.Fatal(err)
		}
		if p.Figures()["p999_s"] <= 0 {
			t.Error("no answer was measured")
		}
	})
}

func TestForms(t *testing.T) {
	drivertest.Forms(t, "fuzzy", map[string]int{"hand": 23, "index": 49}, "-saved")
}

package main

import (
	"testing"

	"github.com/coppice-go/coppice/workloads/foreign/driver/drivertest"
)

func TestVersions(t *testing.T) {
	v := &versions{}
	drivertest.Check(t, v, func() { v.tree, _, _ = v.tree.Insert(v.keys[7], 17) })
	if v.tree.Len() < keys*9/10 {
		t.Errorf("the tree has %d keys", v.tree.Len())
	}
}

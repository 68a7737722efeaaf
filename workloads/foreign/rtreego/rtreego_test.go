package main

import (
	"testing"

	"github.com/coppice-go/coppice/workloads/foreign/driver/drivertest"
)

func TestIndex(t *testing.T) {
	x := &index{}
	drivertest.Check(t, x, func() { x.tree.Delete(x.boxes[5]) })
}

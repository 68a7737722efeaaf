package source

import (
	"bytes"
	"testing"
)

func TestModule(t *testing.T) {
	for depth := range 6 {
		module := Module(depth)
		if !bytes.Equal(module, Module(depth)) {
			t.Errorf("depth %d: two modules", depth)
		}
		if n := len(module) >> depth; depth > 3 && (n < 300 || n > 1500) {
			t.Errorf("depth %d: %d bytes a unit", depth, n)
		}
		if bytes.Contains(module, []byte("%!")) || bytes.Count(module, []byte("{")) != bytes.Count(module, []byte("}")) {
			t.Errorf("depth %d: broken source", depth)
		}
	}
}

func TestUnits(t *testing.T) {
	if a, b := Units(8, 1), Units(8, 2); bytes.Equal(a, b) || !bytes.Equal(a, Module(3)) {
		t.Error("two seeds give one module, or one seed two")
	}
}

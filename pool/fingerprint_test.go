//go:build coppice_checks || race

package pool

import "testing"

func TestFingerprint(t *testing.T) {
	changed(t, "a byte", new(byte), func(v *byte) { *v = 1 })
	changed(t, "a pointer", new(*int), func(v **int) { *v = new(int) })
	changed(t, "the last of many", new([4096]byte), func(v *[4096]byte) { v[4095] = 1 })
	changed(t, "a slice's length", &[]int{1, 2}, func(v *[]int) { *v = (*v)[:1] })
	changed(t, "an interface", new(any), func(v *any) { *v = 7 })
	changed(t, "a field behind padding", new(struct {
		a byte
		b int64
	}), func(v *struct {
		a byte
		b int64
	}) {
		v.b = -1
	})
}

func changed[T any](t *testing.T, what string, v *T, change func(*T)) {
	t.Helper()
	before := fingerprint(v)
	if fingerprint(v) != before {
		t.Errorf("%s: two looks differ", what)
	}
	if change(v); fingerprint(v) == before {
		t.Errorf("%s: the change goes unseen", what)
	}
}

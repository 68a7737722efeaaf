package prove

import (
	"reflect"
	"testing"
)

// If there are several violations, firstViolation returns the first, with its stacks.
func TestFirstViolation(t *testing.T) {
	got := firstViolation("coppice witness: a, now at b\n\tbefore:\n\t\tc\n\tnow:\n\t\tgoroutine 1\ncoppice witness: d\n\tnow:\n")
	if want := (&Trouble{"coppice witness: a, now at b", "\tbefore:\n\t\tc\n\tnow:\n\t\tgoroutine 1"}); *got != *want {
		t.Errorf("it is %+v, want %+v", got, want)
	}
	if got := firstViolation("coppice witness: cut"); *got != (Trouble{Line: "coppice witness: cut"}) {
		t.Errorf("it is %+v", got)
	}
}

// A package fails if one of its tests fails, so it is listed by itself only if none of its tests
// explains the failure.
func TestFailures(t *testing.T) {
	got := failures(map[test][]string{
		{"a", ""}: {"fail"}, {"a", "TestB"}: {"fail"}, {"a", "TestA"}: {raced}, {"a", "TestC"}: {"pass"},
		{"b", ""}: {"fail"}, {"b", "TestD"}: {"skip"}, {"c", ""}: {"pass"}, {"c", "TestE"}: {"pass"},
	})
	if want := []test{{"a", "TestA"}, {"a", "TestB"}, {"b", ""}}; !reflect.DeepEqual(got, want) {
		t.Errorf("they are %v, want %v", got, want)
	}
}

// A complaint of go vet must be recognized even if its line number has changed.
func TestVetKey(t *testing.T) {
	a := vetted{"/tmp/a/x.go:7:10", "err declared at ./x.go:5:2 is lost"}
	b := vetted{"/tmp/b/x.go:9:11", "err declared at ./x.go:6:2 is lost"}
	if a.key() != b.key() {
		t.Errorf("%q and %q differ", a.key(), b.key())
	}
	if c := (vetted{"/tmp/a/y.go:7:10", a.message}); c.key() == a.key() {
		t.Errorf("%q is in two files", c.key())
	}
}

package checks_test

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
)

func TestCallerNamesTheUsersLine(t *testing.T) {
	place := checks.Caller()
	if ok, _ := regexp.MatchString(`checks_test\.go:13$`, place.String()); !ok {
		t.Errorf("Caller() = %s, want the line that called it", place)
	}
	if got := (checks.Place{}).String(); got != "an unknown place" {
		t.Errorf("zero Place prints %q", got)
	}
}

func TestGuard(t *testing.T) {
	if !checks.Enabled {
		t.Skip("a Guard is empty outside checked builds")
	}
	var g checks.Guard
	g.Enter("first.Use")
	if msg := panicOf(func() { g.Enter("second.Use") }); !strings.HasPrefix(msg, "second.Use: used by two goroutines") {
		t.Errorf("a second Enter said %q", msg)
	}
	g.Leave()

	var copied checks.Guard
	reflect.ValueOf(&copied).Elem().Set(reflect.ValueOf(&g).Elem()) // a copy that vet does not detect
	if msg := panicOf(func() { copied.Enter("third.Use") }); !strings.HasPrefix(msg, "third.Use: called on a copy") {
		t.Errorf("Enter on a copy said %q", msg)
	}
	if msg := panicOf(func() { copied.Enter("fourth.Use") }); !strings.HasPrefix(msg, "fourth.Use: called on a copy") {
		t.Errorf("Enter on a copy, again, said %q", msg)
	}
	g.Enter("fifth.Use") // the original is not in use
	g.Leave()
}

func panicOf(f func()) (message string) {
	defer func() { message, _ = recover().(string) }()
	f()
	return ""
}

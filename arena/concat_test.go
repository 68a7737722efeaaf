package arena_test

import (
	"math"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/arena"
	"github.com/coppice-go/coppice/internal/checks"
)

// Concat and Join return the same strings as strings.Join, with and without an arena. The result is
// always a copy, even of a single string.
func TestConcatAndJoin(t *testing.T) {
	var a arena.Arena
	for name, in := range map[string]*arena.Arena{"an arena": &a, "the Go heap": nil} {
		for _, parts := range [][]string{nil, {""}, {"ash"}, {"", "", ""}, {"ash", "", "oak"}, {"é", "ß", strings.Repeat("x", 300)}} {
			if got, want := in.Concat(parts...), strings.Join(parts, ""); got != want {
				t.Errorf("in %s, Concat%q is %q", name, parts, got)
			}
			for _, sep := range []string{"", ",", " and "} {
				if got, want := in.Join(parts, sep), strings.Join(parts, sep); got != want {
					t.Errorf("in %s, Join(%q, %q) is %q", name, parts, sep, got)
				}
			}
		}
		if part := "a single part"; same(in.Concat(part), part) || same(in.Concat(part, ""), part) || same(in.Join([]string{part}, ","), part) {
			t.Errorf("in %s, Concat or Join of one part does not copy it", name)
		}
	}
}

// Concat and Join take exactly the memory of the result, rounded up to words, from the arena. The
// variadic list of strings must not be allocated.
func TestJoinTakesWhatItIsLong(t *testing.T) {
	if checks.Enabled {
		t.Skip("a checked build allocates for itself")
	}
	var a arena.Arena
	words := []string{"ash", "oak", "elm"}
	a.Concat("0123456", "7")
	a.Join(words, "....") // 17 bytes, 3 words
	if used := a.Stats().Used; used != 8+24 {
		t.Errorf("texts of 8 and 17 bytes take %d", used)
	}
	a.Reset()
	if allocs := testing.AllocsPerRun(100, func() { a.Concat(words[0], ".", words[1]); a.Join(words, ", "); a.Reset() }); allocs != 0 {
		t.Errorf("two texts take %v allocations", allocs)
	}
	if allocs := testing.AllocsPerRun(100, func() { sinkString = (*arena.Arena)(nil).Concat(words[0], ".", words[1]) }); allocs != 1 {
		t.Errorf("a text on the Go heap takes %v allocations", allocs)
	}
}

// A result larger than the address space causes a panic, and the arena remains usable.
func TestJoinOfMoreThanThereIs(t *testing.T) {
	var a arena.Arena
	huge := long(math.MaxInt)
	for name, in := range map[string]*arena.Arena{"an arena": &a, "the Go heap": nil} {
		for where, call := range map[string]func(){
			"arena.Arena.Concat": func() { in.Concat("x", huge) },
			"arena.Arena.Join":   func() { in.Join([]string{"x", "y"}, huge) },
		} {
			if got := panicOf(call); !strings.HasPrefix(got, where+": ") || !strings.Contains(got, "exceed the address space") {
				t.Errorf("in %s: %s", name, got)
			}
		}
		sum := []string{"x", long(math.MaxInt/2 + 1), long(math.MaxInt/2 + 1)}
		if got := panicOf(func() { in.Join(sum, ",") }); !strings.HasPrefix(got, "arena.Arena.Join: ") {
			t.Errorf("in %s, a sum that runs over: %s", name, got)
		}
		if got := in.Concat("a", "sh"); got != "ash" {
			t.Errorf("in %s %q follows the panics", name, got)
		}
	}
}

// In a checked build, strings from Concat and Join read as stale after Reset.
func TestStaleJoinShows(t *testing.T) {
	if !checks.Enabled {
		t.Skip("only in checked builds")
	}
	var a arena.Arena
	name, list := a.Concat("schema", ".", "table"), a.Join([]string{"x", "y"}, ", ")
	a.Reset()
	if name != "<stale!><sta" || list != "<sta" { //coppice:ignore stalevalue it reads what is stale
		t.Errorf("stale strings read %q and %q", name, list)
	}
}

// sinkString keeps the compiler from eliminating the strings.
var sinkString string

// BenchmarkStrings copies one token to a string, and concatenates three strings.
func BenchmarkStrings(b *testing.B) {
	token, schema, table := []byte("a_name_of_some_length"), "schema", "a_name_of_some_length"
	var a arena.Arena
	for _, how := range []struct {
		name string
		make func() string
	}{
		{"of=token/by=arena", func() string { return a.String(token) }},
		{"of=token/by=conversion", func() string { return string(token) }},
		{"of=token/by=strings.Clone", func() string { return strings.Clone(table) }},
		{"of=three/by=arena", func() string { return a.Concat(schema, ".", table) }},
		{"of=three/by=plus", func() string { return schema + "." + table }},
		{"of=three/by=strings.Join", func() string { return strings.Join([]string{schema, ".", table}, "") }},
	} {
		b.Run(how.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for range phase {
					sinkString = how.make()
				}
				a.Reset()
			}
			perValue(b)
		})
	}
}

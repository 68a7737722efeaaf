package fixed_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/fixed"
)

func TestCheck(t *testing.T) {
	type inner struct{ X [2]*int }
	type outer struct {
		A int
		B inner
	}
	for _, c := range []struct {
		value any
		want  string // "" for no error
	}{
		{1, ""}, {[3]float64{}, ""}, {struct{}{}, ""}, {[0]*int{}, ""},
		{outer{}, "here: fixed_test.outer.B.X[0] is a *int, a pointer that the collector would not see; use a number"},
		{"", "here: string is a string, a pointer that the collector would not see; use an array of bytes"},
		{[]int{}, "use an array"}, {map[int]int{}, "keep such values"}, {func() {}, "keep such values"},
	} {
		err := fixed.Check("here", reflect.TypeOf(c.value), fixed.Contained)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%T: %v, want %q", c.value, err, c.want)
		}
	}
}

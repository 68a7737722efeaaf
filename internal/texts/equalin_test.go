package texts

import (
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/vmem"
)

// EqualIn returns the same result as Equal, and reads only the given memory, whatever its contents
// are.
func TestEqualIn(t *testing.T) {
	h := Open(0, vmem.HugeAuto, vmem.NewAccount("equal", 0))
	h.Watch()
	defer h.Close()
	if h.Memory() != nil || !EqualIn(nil, 0, "") || EqualIn(nil, 0, "a") || EqualIn(nil, 256, "a") {
		t.Error("an empty heap has a text")
	}
	all, refs := make([]string, 0, 16), make([]Ref, 0, 16)
	for _, n := range []int{0, 1, 5, 127, 128, 129, 300, 20_000} {
		for _, c := range []string{"x", "y"} {
			ref, err := h.PutString(strings.Repeat(c, n))
			if err != nil {
				t.Fatal(err)
			}
			all, refs = append(all, strings.Repeat(c, n)), append(refs, ref)
		}
	}
	for _, ref := range refs {
		for _, text := range all {
			if got := EqualIn(h.Memory(), ref, text); got != h.Equal(ref, text) {
				t.Errorf("text %d: EqualIn with one of %d bytes is %v", ref, len(text), got)
			}
		}
	}
	memory := append([]byte(nil), h.Memory()...)
	for end := range 2000 { // truncated memory, and wrong lengths
		some := memory[:end:end]
		for i, ref := range refs {
			EqualIn(some, ref, all[i])
			if at := int(ref) * unit; at < end {
				before := some[at]
				some[at] = byte(end)
				EqualIn(some, ref, strings.Repeat("x", end%200))
				some[at] = before
			}
		}
	}
}

package texts

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/random"
	"github.com/coppice-go/coppice/internal/vmem"
)

// A Checker finds no overlapping blocks in a heap, whatever texts were stored and freed.
func TestCheckerOfSoundHeaps(t *testing.T) {
	h, r := Open(0, vmem.HugeAuto, vmem.NewAccount("checker", 0)), random.New(t)
	defer h.Close()
	var live []Ref
	for range 3000 {
		switch n := len(live); {
		case n > 0 && r.IntN(5) < 2:
			i := r.IntN(n)
			h.Free(live[i])
			live[i] = live[n-1]
			live = live[:n-1]
		case r.IntN(4) == 0:
			ref, _, err := h.Room(r.IntN(600))
			if err != nil {
				t.Fatal(err)
			}
			live = append(live, ref)
		default:
			ref, err := h.PutString(strings.Repeat("x", r.IntN(300)))
			if err != nil {
				t.Fatal(err)
			}
			live = append(live, ref)
		}
	}
	if err := checked(h, live); err != nil {
		t.Error(err)
	}
}

// checked runs a Checker on a heap whose live texts are live.
func checked(h *Heap, live []Ref) error {
	c := h.NewChecker()
	for _, ref := range live {
		if err := c.Text(ref); err != nil {
			return err
		}
	}
	return c.Dead()
}

// A Checker detects blocks that overlap, even if one begins in the middle of another. It also
// detects lists of dead blocks that contain a loop or lead outside the heap.
func TestCheckerFinds(t *testing.T) {
	h := Open(0, vmem.HugeAuto, vmem.NewAccount("checker", 0))
	defer h.Close()
	var live []Ref
	for range 4 {
		ref, err := h.PutString(strings.Repeat("y", 10))
		if err != nil {
			t.Fatal(err)
		}
		live = append(live, ref)
	}
	class := blockOf(10)
	list := h.memory[4*class:][:4]
	if err := checked(h, append(live, live[0])); err == nil {
		t.Error("a text of two owners is not noticed")
	}
	if err := checked(h, []Ref{1 << 30}); err == nil {
		t.Error("a text outside the heap is not noticed")
	}
	h.Free(live[3])
	live = live[:3]
	if err := checked(h, live); err != nil {
		t.Fatal(err)
	}
	for what, ref := range map[string]Ref{"a text": live[1], "the middle of a text": live[1] + 1, "the header": 1, "outside": Ref(h.used/unit) - 1} {
		binary.LittleEndian.PutUint32(list, ref)
		if err := checked(h, live); err == nil || !strings.HasSuffix(err.Error(), "is not dead, or is in a wrong list") {
			t.Errorf("a dead block that is %s: %v", what, err)
		}
	}
	binary.LittleEndian.PutUint32(list, 0)
	dead := live[1]
	h.Free(dead)
	live = []Ref{live[0], live[2]}
	if err := checked(h, live); err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint32(h.memory[dead*unit+4:], dead)
	if err := checked(h, live); err == nil {
		t.Error("a list that has no end is not noticed")
	}
	binary.LittleEndian.PutUint32(h.memory[dead*unit+4:], 0)
	binary.LittleEndian.PutUint32(h.memory[dead*unit:], uint32(2*sizeOf(class)/unit)<<8)
	if err := checked(h, live); err == nil {
		t.Error("a dead block that is larger than it is")
	}
	binary.LittleEndian.PutUint32(h.memory[dead*unit:], 0)
	if err := checked(h, live); err == nil {
		t.Error("a block without a size is not noticed")
	}
}

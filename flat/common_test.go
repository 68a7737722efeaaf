package flat_test

import (
	"math/rand/v2"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/cases/positions"
	"github.com/coppice-go/coppice/flat/internal/cases/positionsflat"
	"github.com/coppice-go/coppice/flat/internal/random"
)

// A handle and the view of the same node return the same values for the fields that all variants
// have.
func TestCommonFields(t *testing.T) {
	variants := []any{(*positions.Name)(nil), (*positions.Block)(nil), (*positions.Pair)(nil)}
	for seed := range uint64(200) {
		root := random.Tree[positions.Node](rand.New(rand.NewPCG(seed, 31)), int(seed), variants)
		tree := must(positionsflat.FromTree(root, flat.LoadLimits{}))
		for n := range tree.Root().Preorder {
			type fields struct {
				line   uint16
				file   string
				weight float64
				depth  int
				on     bool
				top    uint8
			}
			var want fields
			switch v := n.View().(type) {
			case *positionsflat.Name:
				want = fields{v.Line(), v.File(), v.Weight(), v.Depth(), v.On(), v.Top()}
			case *positionsflat.Block:
				want = fields{v.Line(), v.File(), v.Weight(), v.Depth(), v.On(), v.Top()}
			case *positionsflat.Pair:
				want = fields{v.Line(), v.File(), v.Weight(), v.Depth(), v.On(), v.Top()}
			}
			if got := (fields{n.Line(), n.File(), n.Weight(), n.Depth(), n.On(), n.Top()}); got != want && want.weight == want.weight {
				t.Fatalf("seed %d: %v of any node, want %v", seed, got, want)
			}
			if h := n.AsNode(); h.Line() != want.line || h.File() != want.file || h.Depth() != want.depth || h.On() != want.on || h.Top() != want.top {
				t.Fatalf("seed %d: %d %q of a sum, want %v", seed, h.Line(), h.File(), want)
			}
		}
	}
}

// A handle has no accessor for a field whose type differs between variants, for a field that some
// variants lack, or for a list. Reading a field of the nil handle panics.
func TestWhatIsNoCommonField(t *testing.T) {
	var n any = positionsflat.Node{}
	if _, has := n.(interface{ Same() uint8 }); has {
		t.Error("a handle has Same, which is a uint16 in one variant")
	}
	if _, has := n.(interface{ Text() string }); has {
		t.Error("a handle has Text, which one variant has")
	}
	if _, has := n.(interface{ Kind() positionsflat.Kind }); !has {
		t.Error("the field Kind hides the method Kind of handles")
	}
	for name, read := range map[string]func(){
		"Line": func() { _ = positionsflat.Node{}.Line() }, "Weight": func() { _ = positionsflat.Node{}.Weight() },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s of nil does not panic", name)
				}
			}()
			read()
		}()
	}
}

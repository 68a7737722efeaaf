package flow

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A Cut records that a value shares the memory of another object, its owner. The owner is an arena,
// slab or store, or a buffer.
type Cut struct {
	Owner   Path
	From    ssa.Value // an argument that is, or contains, the owner; nil if it is behind a pointer
	Source  string    // the type of the owner, with its arguments
	Library bool      // the owner's type is in the library
}

// buffers lists the methods of bytes.Buffer whose results share the memory of the buffer. String is
// not among them, because it returns a copy.
var buffers = map[string]bool{"Bytes": true, "Next": true, "AvailableBuffer": true, "Peek": true}

// Cuts returns the objects whose memory v shares, according to the call that returned v.
func (p *Program) Cuts(v ssa.Value) []Cut {
	call, index := resultOf(v)
	if call == nil {
		return nil
	}
	if direct := directCuts(call, index); len(direct) > 0 {
		for i := range direct {
			direct[i].Owner = p.Settle(direct[i].Owner)
		}
		return direct
	}
	o := p.originOf(call, index)
	if o.how != isCut {
		return nil
	}
	path, arg := o.mapped(call)
	if path.isNil() {
		return nil // a nil Arena allocates on the Go heap
	}
	return []Cut{{p.Settle(path), arg, o.source, o.library}}
}

// resultOf returns the call that returned v, and the index of v among the results. The call is nil
// if v is not the result of a call.
func resultOf(v ssa.Value) (*ssa.Call, int) {
	index := 0
	if part, ok := v.(*ssa.Extract); ok {
		v, index = part.Tuple, part.Index
	} else if _, tuple := v.Type().(*types.Tuple); tuple {
		return nil, 0
	}
	call, _ := v.(*ssa.Call)
	return call, index
}

func directCuts(call *ssa.Call, index int) (all []Cut) {
	common := call.Common()
	if known, ok := Known(common); ok {
		effect := Effects[known.Key()]
		if index >= len(effect.Gives) || effect.Gives[index] != Memory {
			return nil
		}
		from := known.Recv
		if known.Type == "arena.Builder" || known.Type == "arena.Interner" {
			from = arenaIn(from)
		}
		for i, owner := range known.Owners() {
			cut := Cut{Owner: owner, Library: true}
			if i == 0 && from != nil {
				cut.From, cut.Source = from, sourceOf(from.Type())
			}
			all = append(all, cut)
		}
		return all
	}
	fn := common.StaticCallee()
	if fn == nil || fn.Signature.Recv() == nil || index != 0 || !buffers[fn.Name()] {
		return nil
	}
	if source := sourceOf(fn.Signature.Recv().Type()); source == "bytes.Buffer" {
		return []Cut{{Owner: PathOf(common.Args[0]), From: common.Args[0], Source: source}}
	}
	return nil
}

// sourceOf returns the full name of a type. For a pointer, it returns the name of the element type.
func sourceOf(t types.Type) string {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	return types.TypeString(t, nil)
}

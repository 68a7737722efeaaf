package foreign

import "github.com/coppice-go/coppice/store"

func same(oaks *store.Store[node]) *node {
	r := oaks.Alloc(node{})
	return oaks.At(r)
}

func alias(oaks *store.Store[node]) *node {
	again := oaks
	r := oaks.Alloc(node{})
	return again.At(r)
}

func capturedAlias(oaks *store.Store[node]) *node {
	again := oaks
	show := func() int { return again.Len() + oaks.Len() }
	show()
	r := oaks.Alloc(node{})
	return again.At(r)
}

func clone(oaks *store.Store[node]) (*node, error) {
	r := oaks.Alloc(node{})
	copied, err := oaks.Clone()
	if err != nil {
		return nil, err
	}
	return copied.At(r), nil
}

func copyFrom(oaks, ashes *store.Store[node]) (*node, error) {
	r := oaks.Alloc(node{})
	if err := ashes.CopyFrom(oaks); err != nil {
		return nil, err
	}
	return ashes.At(r), nil
}

func elsewhere(oaks, ashes *store.Store[node]) *node {
	r := oaks.Alloc(node{})
	snapshot(ashes, oaks)
	return ashes.At(r)
}

func snapshot(to, from *store.Store[node]) { _ = to.CopyFrom(from) }

func inMethod(f *forest) *node {
	r := f.oaks.Alloc(node{})
	f.snapshot()
	return f.ashes.At(r)
}

func (f *forest) snapshot() { _ = f.ashes.CopyFrom(f.oaks) }

func oneOf(oaks, ashes *store.Store[node], which bool) *node {
	r, s := oaks.Alloc(node{}), oaks
	if which {
		r, s = ashes.Alloc(node{}), ashes
	}
	return s.At(r)
}

func sometimes(oaks, ashes *store.Store[node], r store.Ref[node], which bool) *node {
	if which {
		r = oaks.Alloc(node{})
	}
	return ashes.At(r)
}

func elements(all []*store.Store[node]) *node {
	r := all[0].Alloc(node{})
	return all[0].At(r)
}

func calls(get func() *store.Store[node]) *node {
	r := get().Alloc(node{})
	return get().At(r)
}

func linked(oaks, ashes *store.Store[node]) *node {
	n := oaks.At(1)
	return ashes.At(n.left)
}

func replaced(f *forest) *node {
	r := f.oaks.Alloc(node{})
	f.oaks, f.ashes = f.ashes, f.oaks
	return f.ashes.At(r)
}

func number(oaks, ashes *store.Store[node]) {
	n := oaks.Len()
	ashes.At(store.Ref[node](n))
}

func wanted(a, b *store.Handles[node]) bool {
	//coppice:ignore foreignref it shows that the handle is not found
	return b.Delete(a.Alloc(node{}))
}

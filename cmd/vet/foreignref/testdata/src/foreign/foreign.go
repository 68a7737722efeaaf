// Package foreign has what rule foreignref must report.
package foreign

import "github.com/coppice-go/coppice/store"

type node struct{ left, right store.Ref[node] }

type forest struct{ oaks, ashes *store.Store[node] }

func parameters(oaks, ashes *store.Store[node]) *node {
	r := oaks.Alloc(node{})
	return ashes.At(r) // want `this store.Ref\[node\] belongs to a different store.Store than the one whose At gets it`
}

func made() *node {
	oaks, _ := store.New[node](store.Options{})
	ashes, _ := store.New[node](store.Options{})
	r, _ := oaks.New()
	return ashes.At(r) // want `belongs to a different store.Store`
}

func fields(f *forest) {
	r := f.oaks.Alloc(node{})
	f.ashes.Delete(r) // want `than the one whose Delete gets it`
}

func fromMake(oaks, ashes *store.Store[node]) *node {
	first, _ := oaks.Make(3)
	return ashes.At(first + 2) // want `belongs to a different store.Store`
}

func eitherWay(oaks, ashes *store.Store[node], big bool) *node {
	r := oaks.Alloc(node{})
	if big {
		r, _ = oaks.Make(2)
	}
	return ashes.At(r) // want `belongs to a different store.Store`
}

func tried(oaks, ashes *store.Store[node]) *node {
	r, err := oaks.TryAlloc(node{})
	if err != nil {
		return nil
	}
	return ashes.At(r) // want `belongs to a different store.Store`
}

func texts(oaks, ashes *store.Store[node]) string {
	t := oaks.AllocText("ash")
	return ashes.Text(t) // want `this store.Text belongs to a different store.Store`
}

func handles(a, b *store.Handles[node]) bool {
	h := a.Alloc(node{})
	_, ok := b.Get(h) // want `this store.Handle\[node\] belongs to a different store.Handles`
	return ok
}

func newStore() *store.Store[node] {
	s, err := store.New[node](store.Options{})
	if err != nil {
		panic(err)
	}
	return s
}

func helper() *node {
	oaks, ashes := newStore(), newStore()
	return ashes.At(oaks.Alloc(node{})) // want `belongs to a different store.Store`
}

func written(oaks, ashes *store.Store[node]) *node {
	w := oaks.Writer()
	r := w.Alloc(node{})
	w.Close()
	return ashes.At(r) // want `belongs to a different store.Store`
}

func captured(oaks, ashes *store.Store[node]) func() *node {
	return func() *node {
		r := oaks.Alloc(node{})
		return ashes.At(r) // want `belongs to a different store.Store`
	}
}

func must() *node {
	oaks, ashes := store.Must(store.New[node](store.Options{})), store.Must(store.New[node](store.Options{}))
	r := oaks.Alloc(node{})
	return ashes.At(r) // want `belongs to a different store.Store`
}

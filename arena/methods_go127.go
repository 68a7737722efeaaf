//go:build go1.27

package arena

import "github.com/coppice-go/coppice/slab"

// New is the function New as a method: a.New[Node]().
func (a *Arena) New[T any]() *T { return New[T](a) }

// Alloc is the function Alloc as a method: a.Alloc(Node{Kind: k}).
func (a *Arena) Alloc[T any](v T) *T { return Alloc(a, v) }

// Copy is the function Copy as a method: a.Copy(&Node{Kind: k}).
func (a *Arena) Copy[T any](v *T) *T { return Copy(a, v) }

// Make is the function Make as a method: a.Make[Node](n).
func (a *Arena) Make[T any](n int) []T { return Make[T](a, n) }

// SliceOf is the function SliceOf as a method: a.SliceOf(x, y).
func (a *Arena) SliceOf[T any](values ...T) []T { return SliceOf(a, values...) }

// Append is the function Append as a method: s = a.Append(s, v).
func (a *Arena) Append[T any, S ~[]T](s S, values ...T) S { return Append(a, s, values...) }

// Grow is the function Grow as a method: s = append(a.Grow(s, 2), x, y).
func (a *Arena) Grow[S ~[]T, T any](s S, n int) S { return Grow(a, s, n) }

// Clone is the function Clone as a method: a.Clone(s).
func (a *Arena) Clone[S ~[]T, T any](s S) S { return Clone(a, s) }

// Of is the function Of as a method: a.Of[Node]().
func (a *Arena) Of[T any]() *slab.Slab[T] { return Of[T](a) }

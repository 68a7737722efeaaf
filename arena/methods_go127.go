//go:build go1.27

package arena

import "github.com/coppice-go/coppice/slab"

// New is the method form of the function New: a.New[Node]().
func (a *Arena) New[T any]() *T { return New[T](a) }

// Alloc is the method form of the function Alloc: a.Alloc(Node{Kind: k}).
func (a *Arena) Alloc[T any](v T) *T { return Alloc(a, v) }

// Copy is the method form of the function Copy: a.Copy(&Node{Kind: k}).
func (a *Arena) Copy[T any](v *T) *T { return Copy(a, v) }

// Make is the method form of the function Make: a.Make[Node](n).
func (a *Arena) Make[T any](n int) []T { return Make[T](a, n) }

// SliceOf is the method form of the function SliceOf: a.SliceOf(x, y).
func (a *Arena) SliceOf[T any](values ...T) []T { return SliceOf(a, values...) }

// Append is the method form of the function Append: s = a.Append(s, v).
func (a *Arena) Append[T any, S ~[]T](s S, values ...T) S { return Append(a, s, values...) }

// Grow is the method form of the function Grow: s = append(a.Grow(s, 2), x, y).
func (a *Arena) Grow[S ~[]T, T any](s S, n int) S { return Grow(a, s, n) }

// Clone is the method form of the function Clone: a.Clone(s).
func (a *Arena) Clone[S ~[]T, T any](s S) S { return Clone(a, s) }

// Of is the method form of the function Of: a.Of[Node]().
func (a *Arena) Of[T any]() *slab.Slab[T] { return Of[T](a) }

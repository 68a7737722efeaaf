// Package chunks contains the source of a type that package own copies into packages whose module
// does not require Coppice. The copy of chunks.go has the package clause of its new package, and
// only the methods that are called. The type works like slab.Chunks.
package chunks

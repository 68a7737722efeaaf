// Package chunks contains the source text of a type for packages whose module does not require
// Coppice. Package own copies chunks.go into such a package. The copy has the package clause of
// that package and only the methods that are called. The type works like slab.Chunks.
package chunks

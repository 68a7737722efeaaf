// Package chunks is the source of a type for packages whose module does not require Coppice.
// Package own writes chunks.go into such a package, with the package's own clause and only the
// methods that are called. The type works like slab.Chunks.
package chunks

// Package chunks is the source of what a package gets where its module does not require Coppice:
// package own writes the file chunks.go there, with another package clause and with the methods
// that are called. It does what slab.Chunks does.
package chunks

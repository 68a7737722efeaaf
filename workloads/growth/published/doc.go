// Package published contains the benchmarks of claim C5 as they were published, and reports to the
// lab what package testing prints about them. All of it is tests: see fill_test.go.
package published

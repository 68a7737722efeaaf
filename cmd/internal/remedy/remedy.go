// Package remedy says what a remedy is: something that can be done about places that allocate. Each has a folder below this one, and a line
// in package remedies, over which everything else iterates.
package remedy

// A Remedy is what can be done about a site.
type Remedy struct {
	Document
}

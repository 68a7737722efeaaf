//go:build !unix

package main

import (
	"os"
	"testing"
)

// mapOnePage is implemented only on systems with /proc.
func mapOnePage(*testing.T, *os.File) {}

//go:build !unix

package main

import (
	"os"
	"testing"
)

// mapOnePage is for systems with /proc.
func mapOnePage(*testing.T, *os.File) {}

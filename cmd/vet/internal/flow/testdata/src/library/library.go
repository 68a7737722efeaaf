// Package library calls the library in one of its functions.
package library

import "github.com/coppice-go/coppice/slab"

func calls(s *slab.Slab[int]) { s.Reset() }

func counts() int { return 1 }

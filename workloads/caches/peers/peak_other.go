//go:build !unix

package main

import "os"

// peak returns 0, for the most memory of a process is not known here.
func peak(*os.ProcessState) int64 { return 0 }

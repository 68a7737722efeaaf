package main

import "os"

// hangup returns nothing: there is no such signal.
func hangup() []os.Signal { return nil }

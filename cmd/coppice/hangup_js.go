package main

import "os"

// hangup returns nil because this system has no hangup signal.
func hangup() []os.Signal { return nil }

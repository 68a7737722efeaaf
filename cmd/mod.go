// Package cmd has the module file of the tools.
package cmd

import _ "embed"

// Mod is the text of the go.mod file.
//
//go:embed go.mod
var Mod []byte

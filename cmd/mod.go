// Package cmd embeds the go.mod file of the tools.
package cmd

import _ "embed"

// Mod is the contents of the go.mod file.
//
//go:embed go.mod
var Mod []byte

// Package cmd embeds the go.mod file of the tools and names the library module.
package cmd

import _ "embed"

// Mod is the contents of the go.mod file.
//
//go:embed go.mod
var Mod []byte

// Library is the path of the library module.
const Library = "github.com/coppice-go/coppice"

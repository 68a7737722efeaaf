// Package slab is the remedy that cuts many values of one type from chunks.
package slab

import (
	_ "embed"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
)

//go:embed remedy.toml
var data []byte

// Remedy is the remedy.
var Remedy = &remedy.Remedy{
	Document: remedy.MustParse(data),
}

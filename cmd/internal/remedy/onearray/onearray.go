// Package onearray is the remedy that cuts small arrays that are made side by side from one.
package onearray

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

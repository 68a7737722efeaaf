// Package intern is the remedy that keeps one of each of equal strings.
package intern

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

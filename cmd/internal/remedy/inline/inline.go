// Package inline is the remedy that keeps a few values inside of the struct that has them.
package inline

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

// Package store is the remedy that keeps records where the collector does not look.
package store

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

package rules

import (
	"go/types"

	"github.com/coppice-go/coppice/cmd/internal/rewrite"
	"github.com/coppice-go/coppice/cmd/internal/rewrite/edits"
)

// A pass is the state of applying rules to one package.
type pass struct {
	*rewrite.Code
	form   Form
	counts []Count
	owners map[string]*owner // by the name of the struct; "" for the package
	edits  edits.Set
}

// An owner is the struct or the package that contains the allocators.
type owner struct {
	*rewrite.Owner        // none for the package
	name           string // "" for the package
	allocators     []*allocator
	text           bool // it also holds the bytes of strings
}

// An allocator hands out values of one type.
type allocator struct {
	name    string
	typ     types.Type
	appends bool // whether there is an Append
}

// Package remedies is the list of remedies. A remedy has a folder beside this one, and a line here.
package remedies

import (
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/remedy/arena"
	"github.com/coppice-go/coppice/cmd/internal/remedy/avoidcopy"
	"github.com/coppice-go/coppice/cmd/internal/remedy/concrete"
	"github.com/coppice-go/coppice/cmd/internal/remedy/flat"
	"github.com/coppice-go/coppice/cmd/internal/remedy/inline"
	"github.com/coppice-go/coppice/cmd/internal/remedy/intern"
	"github.com/coppice-go/coppice/cmd/internal/remedy/leave"
	"github.com/coppice-go/coppice/cmd/internal/remedy/onearray"
	"github.com/coppice-go/coppice/cmd/internal/remedy/presize"
	"github.com/coppice-go/coppice/cmd/internal/remedy/reuse"
	"github.com/coppice-go/coppice/cmd/internal/remedy/scratch"
	"github.com/coppice-go/coppice/cmd/internal/remedy/slab"
	"github.com/coppice-go/coppice/cmd/internal/remedy/store"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// all are the remedies, in the order of reports and documents.
var all = []*remedy.Remedy{
	leave.Remedy,
	avoidcopy.Remedy,
	onearray.Remedy,
	presize.Remedy,
	scratch.Remedy,
	inline.Remedy,
	intern.Remedy,
	reuse.Remedy,
	slab.Remedy,
	arena.Remedy,
	store.Remedy,
	flat.Remedy,
	concrete.Remedy,
}

// All returns all remedies, in the order of reports. The result is the caller's.
func All() []*remedy.Remedy { return slices.Clone(all) }

// Of returns the remedy of a name, nil if there is none.
func Of(name site.Remedy) *remedy.Remedy {
	if i := slices.IndexFunc(all, func(r *remedy.Remedy) bool { return r.Name == name }); i >= 0 {
		return all[i]
	}
	return nil
}

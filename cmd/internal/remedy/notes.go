package remedy

import (
	"fmt"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// Notes returns remarks on a site that do not depend on its remedy and on which no tool can act.
func (p *Program) Notes(s *site.Site) (all []string) {
	f := s.Facts
	if f.WholeField != "" && f.Size > 0 && s.Objects > 0 {
		all = append(all, fmt.Sprintf("it copies all of %s: %s elements of %d bytes on average, and %s of all bytes; a transaction that writes in place to a node that it made itself, or smaller elements, would save a part of that; how much is not counted",
			f.WholeField, Number(Size(s)/float64(f.Size)), f.Size, Percent(s.BytesPart)))
	}
	return all
}

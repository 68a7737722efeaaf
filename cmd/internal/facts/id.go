package facts

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// A namer assigns IDs to sites. It maps each site that has an expression to the number of earlier
// expressions of the same kind and type in the same function, in source order. It does not contain
// sites without an expression.
type namer map[*site.Site]int

// ordinal returns the number of earlier candidates in the same function that have the same kind,
// type and callee.
func (u *unit) ordinal(c *candidate) (n int) {
	for _, other := range u.candidates {
		if other == c {
			break
		}
		if other.function == c.function && other.kind == c.kind && u.typeName(other.typ) == u.typeName(c.typ) && other.callee == c.callee {
			n++
		}
	}
	return n
}

// Name assigns IDs to sites whose source is not read, and which are therefore not passed to Fill.
func Name(sites []*site.Site) { namer(nil).name(sites) }

// name assigns a unique ID to each site. The ID is a hash of those properties of the site that do
// not change when unrelated code is edited.
func (n namer) name(sites []*site.Site) {
	ordered := slices.Clone(sites)
	slices.SortStableFunc(ordered, func(a, b *site.Site) int { // some differ only in their lines
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(leafLine(a), leafLine(b)))
	})
	seen := map[string]int{}
	for _, s := range ordered {
		function, _ := base(s.Function)
		parts := []string{s.Package, function, string(s.Facts.Kind), s.Facts.Type, s.Facts.Callee}
		if ordinal, ok := n[s]; ok {
			parts = append(parts, fmt.Sprint(ordinal))
		}
		if n == nil && s.Facts.Test { // must differ from sites of the function whose source is read
			parts = append(parts, "unread")
		}
		if s.Leaf != nil {
			leaf, _ := base(s.Leaf.Function)
			parts = append(parts, s.Leaf.Package, leaf)
		}
		if s.Package == "main" { // many packages are named main
			parts = append(parts, filepath.Base(s.File))
		}
		key := strings.Join(parts, "\x00")
		seen[key]++
		if again := seen[key]; again > 1 {
			key += fmt.Sprintf("\x00%d", again)
		}
		hash := sha256.Sum256([]byte(key))
		const enough = 8 // bytes; among a million sites, two collide in one of 37 million programs
		s.ID = hex.EncodeToString(hash[:enough])
	}
}

func leafLine(s *site.Site) int {
	if s.Leaf == nil {
		return 0
	}
	return s.Leaf.Line
}

// Package store is the remedy that keeps records outside the Go heap, where the collector does not
// scan them:
//
//	type Entry struct {
//		Key, Value uint64
//		Next       *Entry
//	}
//	c.first = &Entry{Key: key, Value: value, Next: c.first}
//
// becomes
//
//	type entryRecord struct {
//		Key, Value uint64
//		Next       store.Ref[entryRecord]
//	}
//	c.first = c.entries.Alloc(entryRecord{Key: key, Value: value, Next: c.first})
//
// Each garbage collection marks every live value that contains pointers. If millions of values
// remain live, this cost recurs in each collection, even if few of the values are new. A record in
// a store has no pointers and the collector does not visit it. A link uses 4 bytes.
//
// There is no maker, because a record must be freed explicitly and only a person knows where. Draft
// writes a file with the record type, the store and the conversion in both directions, and lists
// the remaining work.
package store

import (
	_ "embed"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

//go:embed remedy.toml
var data []byte

// Remedy contains the documentation and the rules of the remedy, and the function that writes a
// draft.
var Remedy = &remedy.Remedy{
	Document: remedy.MustParse(data),
	Rules: []remedy.Rule{
		{Number: 11, Row: 1, Name: "retained, without pointers", Match: record, Do: remedy.Words("store")},
	},
	Subject: remedy.Typed,
	Imports: remedy.Uses("store.Store", ""),
	Draft:   draft,
}

func record(p *remedy.Program, s *site.Site) []string {
	why := p.LongLived(s)
	switch {
	case why == nil:
	case s.Facts.Pointers == site.NoPointers:
		return append(why, remedy.Bare(s.Facts.Type)+" has no pointers: a store keeps such records outside of the Go heap")
	case s.Facts.Pointers == site.OwnPointers:
		return append(why, remedy.Bare(s.Facts.Type)+" points to its own type only: in a store these are refs")
	}
	return nil
}

// Package flat is the remedy that stores trees of a recursive type in a buffer without pointers:
//
//	type Expr interface{ isExpr() }
//	type Call struct {
//		Fn   string
//		Args []Expr
//	}
//
// becomes
//
//	//flat:sum
//	//flat:root Expr
//	type Expr interface{ isExpr() }
//	type Call struct {
//		Fn   string `flat:"intern"`
//		Args []Expr
//	}
//
// From these declarations, coppice flat generates a package in which a tree is one buffer of 32-bit
// words and a node is a handle with methods.
//
// The garbage collector does not scan the buffer, and the tree can be copied in one step. Package
// store is for records of one type, whereas this remedy is for types with variants, lists and
// strings.
//
// There is no maker, because a flat tree is built once and then read, and each function that
// changes a tree has to be rewritten. Draft writes the schema and a converter, and lists the
// remaining work.
package flat

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
		{Number: 11, Row: 2, Name: "retained, recursive", Match: tree, Do: remedy.Words("flat tree")},
	},
	Subject: remedy.Typed,
	Imports: remedy.Uses("a flat tree", ""),
	Draft:   draft,
}

func tree(p *remedy.Program, s *site.Site) []string {
	why := p.LongLived(s)
	if why == nil || !s.Facts.Recursive {
		return nil
	}
	return append(why, remedy.Bare(s.Facts.Type)+" is recursive, with strings, slices or other types in it: as a flat tree it is one buffer without pointers")
}

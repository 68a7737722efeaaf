package flat_test

import (
	"encoding/binary"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/forest"
	"github.com/coppice-go/coppice/flat/internal/cases/astflat"
	"github.com/coppice-go/coppice/flat/internal/cases/linksflat"
	"github.com/coppice-go/coppice/flat/internal/cases/web2flat"
)

// A mapping is a tree in a mapped file with operations to perform after the file has changed. Each
// operation visits the records in buffer order, so it terminates whatever the file contains.
type mapping struct {
	tree *flat.Tree
	uses map[string]func()
}

// changeWhileMapped overwrites each word of a file's records with several invalid values while the
// file is open. Every operation on the tree must then return or panic, but not run forever.
func changeWhileMapped(t *testing.T, data []byte, open func(path string) mapping) {
	t.Helper()
	h := takeApart(data)
	first := len(h.Start) + len(h.Schema)
	path := saved(t, data)
	for at := first; at < first+4*len(h.Words); at += 4 {
		if testing.Short() && (at-first)/4%3 != 0 {
			continue
		}
		old := binary.LittleEndian.Uint32(data[at:])
		for _, v := range []uint32{0, old + 1, old ^ 1<<31, 1 << 30, 1<<32 - 1} {
			m := open(path)
			putInPlace(t, path, at, binary.LittleEndian.AppendUint32(nil, v))
			for what, use := range m.uses {
				stop := time.AfterFunc(5*time.Minute, func() { panic(what + " does not end") })
				func() {
					defer func() { recover() }()
					use()
				}()
				stop.Stop()
			}
			if err := m.tree.Close(); err != nil {
				t.Fatal(err)
			}
			putInPlace(t, path, at, data[at:at+4])
		}
	}
}

// putInPlace overwrites bytes of a file, which may be mapped.
func putInPlace(t *testing.T, path string, at int, bytes []byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteAt(bytes, int64(at))
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// forestOf creates a forest and returns a function that adds a tree to it.
func forestOf[T forest.Tree[T]](t *testing.T) func(T) {
	w := must(forest.Create[T](t.TempDir()+"/forest", forest.Options{}))
	t.Cleanup(func() { w.Close() })
	return func(tree T) { w.Add("x", tree) }
}

func usesOf(t *flat.Tree) map[string]func() {
	return map[string]func(){
		"Clone":   func() { t.Clone() },
		"WriteTo": func() { fileOf(t) },
		"Dump":    func() { forward(t) },
		"String":  func() { _ = t.String() },
	}
}

func TestMappedFilesThatChange(t *testing.T) {
	if !canMap(t) {
		t.Skip("files are not mapped here")
	}
	files := valid()
	addWeb, addLinks, addAst := forestOf[web2flat.Tree](t), forestOf[linksflat.Tree](t), forestOf[astflat.Tree](t)
	changeWhileMapped(t, fileOf(inWeb2(oldWeb(1)).Flat()), func(path string) mapping {
		tree := must(web2flat.Open(path, flat.LoadLimits{}))
		m := mapping{tree.Flat(), usesOf(tree.Flat())}
		m.uses["Parents"] = func() { tree.Parents(tree.Numbers()) }
		m.uses["All"] = func() {
			for n := range tree.All {
				n.Kind()
			}
		}
		m.uses["Rewrite"] = func() { must(web2flat.NewBuilder(flat.BuilderOptions{}).Rewrite(tree, web2flat.Rewriter{})) }
		m.uses["Add"] = func() { addWeb(tree) }
		return m
	})
	changeWhileMapped(t, files["links-scopes"], func(path string) mapping {
		tree := must(linksflat.Open(path, flat.LoadLimits{}))
		m := mapping{tree.Flat(), usesOf(tree.Flat())}
		m.uses["Parents"] = func() { tree.Parents(tree.Numbers()) }
		m.uses["Rewrite"] = func() { must(linksflat.NewBuilder(flat.BuilderOptions{}).Rewrite(tree, linksflat.Rewriter{})) }
		m.uses["Add"] = func() { addLinks(tree) }
		return m
	})
	changeWhileMapped(t, files["ast-file"], func(path string) mapping {
		tree := must(astflat.Open(path, flat.LoadLimits{}))
		m := mapping{tree.Flat(), usesOf(tree.Flat())}
		m.uses["Parents"] = func() { tree.Parents(tree.Numbers()) }
		m.uses["Rewrite"] = func() { must(astflat.NewBuilder(flat.BuilderOptions{}).Rewrite(tree, astflat.Rewriter{})) }
		m.uses["Add"] = func() { addAst(tree) }
		return m
	})
}

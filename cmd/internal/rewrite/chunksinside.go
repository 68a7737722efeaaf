package rewrite

import (
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/rewrite/edits"
)

// Some packages get no new file: one that is built by a list of files would not have it in the list, and one that has its files as data would have
// it among these. There the type chunks stands at the end of the file that declares its owner: a list with a file that changes has that file.

// homeOf is the file of the owner if the type chunks stands there; nil if it gets a file of its own.
func (p *pass) homeOf(asks []Ask) *ast.File {
	if len(asks) == 0 || p.own.module.NewFile(p.chunksName()) == "" {
		return nil
	}
	return p.declaring(asks[0].Owner)
}

// declaring is the file that declares a name of the package; nil if none does.
func (p *pass) declaring(name string) *ast.File {
	if object := p.Types.Scope().Lookup(name); object != nil {
		return p.fileOf(object.Pos())
	}
	return nil
}

// insertChunks writes the type at the end of the file of the owner. What an earlier change has written there stays, and gets what it lacks.
func (p *pass) insertChunks() error {
	typ, file := p.own.chunks, p.own.home
	name := filepath.Base(p.Fset.File(file.FileStart).Name())
	p.own.result.File, p.own.result.Inside = name, typ
	head, all := chunksText(typ)
	texts := []string{insideText(head)}
	var has []string
	if p.ourChunks(typ) {
		has, texts = p.chunksMethods(typ), nil
		p.watchInserted()
	}
	for _, part := range all {
		if p.own.needs[part.method] && !slices.Contains(has, part.method) {
			texts = append(texts, part.text)
		}
	}
	for _, text := range texts {
		if other := p.shadowed(text); other != "" {
			return fmt.Errorf("the package has the name %s for something else, and the type %s in %s needs it", other, typ, name)
		}
		p.edits.InsertOnceBoth(p.Fset, file.FileEnd, p.imports(&p.edits, text), p.imports(&p.edits, watchedChunks(typ, text)))
	}
	return nil
}

// insideText is what all need, at the end of a file that has its package clause and its imports: with the origin and the licence.
func insideText(head string) string {
	comment, rest, _ := strings.Cut(head, "package ")
	_, declared, _ := strings.Cut(rest, "\n)\n")
	return "\n" + comment + strings.TrimLeft(declared, "\n")
}

// imports is a part of the source with the names by which the file of the owner imports packages, with a set of edits that may add an import.
func (p *pass) imports(set *edits.Set, text string) string {
	var names []string
	for _, path := range []string{"reflect", "sync"} {
		if strings.Contains(text, path+".") {
			names = append(names, path+".", set.Import(p.Fset, p.Types, p.own.home, path)+".")
		}
	}
	return strings.NewReplacer(names...).Replace(text)
}

// isInserted reports whether the file of the owner has the type of that name as a change has written it, with all of its methods.
func (p *pass) isInserted(typ string) bool {
	data, err := os.ReadFile(p.Fset.File(p.own.home.FileStart).Name())
	if err != nil {
		return false
	}
	text := words(string(data))
	head, all := chunksText(typ)
	wanted := []string{insideText(head)}
	has := p.chunksMethods(typ)
	for _, part := range all {
		if slices.Contains(has, part.method) {
			wanted = append(wanted, part.text)
		}
	}
	return !slices.ContainsFunc(wanted, func(part string) bool { return !strings.Contains(text, words(p.imports(&edits.Set{}, part))) })
}

// watchInserted watches a type that is there already.
func (p *pass) watchInserted() {
	typ := p.own.chunks
	ast.Inspect(p.own.home, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if name := n.Name.Name; (name == "New" || name == "Make") && receives(n, typ) {
				p.edits.InsertOnceBoth(p.Fset, n.Body.Lbrace+1, "", "\n"+watchedCall)
			}
			return false
		case *ast.TypeSpec:
			if n.Name.Name == typ {
				p.edits.InsertOnceBoth(p.Fset, n.Type.(*ast.StructType).Fields.Opening+1, "", "\n"+watchedField)
			}
			return false
		}
		return true
	})
	p.edits.InsertOnceBoth(p.Fset, p.own.home.FileEnd, "", p.imports(&p.edits, watchedMethods(typ)))
}

// receives reports whether a function is a method of a generic type.
func receives(fn *ast.FuncDecl, typ string) bool {
	if fn.Recv == nil {
		return false
	}
	star, ok := fn.Recv.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	index, ok := star.X.(*ast.IndexExpr)
	if !ok {
		return false
	}
	name, ok := index.X.(*ast.Ident)
	return ok && name.Name == typ
}

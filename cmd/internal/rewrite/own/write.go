package own

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/coppice-go/coppice/cmd/internal/rewrite"
	"github.com/coppice-go/coppice/cmd/internal/rewrite/edits"
)

// writeChunks writes the type chunks, either to a separate file or to the end of the owner's file.
// The type gets the methods that are needed, and keeps the methods that it already has.
func (p *pass) writeChunks() error {
	p.needs["Make"] = p.needs["Make"] || p.needs["SliceOf"]
	if p.home != nil {
		return p.insertChunks()
	}
	for _, method := range p.chunks.methods {
		p.needs[method] = true
	}
	name := cmp.Or(p.chunks.file, p.chunksName())
	p.result.File = filepath.Base(name)
	if other := p.declaredImport(); other != "" {
		return fmt.Errorf("the package has the name %s for something else, and %s imports a package of that name", other, filepath.Base(name))
	}
	head, all := chunksText(p.chunks.names)
	if err := p.compose(name, "", fileText(head, p.Types.Name(), p.module.Constraint(p.isOurs))); err != nil {
		return err
	}
	for i, part := range all {
		if !p.needs[part.method] {
			continue
		}
		if err := p.compose(name, fmt.Sprint(i+1, " ", part.method), part.text); err != nil {
			return err
		}
	}
	return nil
}

// declaredImport returns the first name that the file imports and a different file of the package
// declares, in any build. With such a conflict, the package would not compile. It returns "" if
// there is none.
func (p *pass) declaredImport() (name string) {
	file, err := parser.ParseFile(token.NewFileSet(), "", chunksSource, parser.ImportsOnly)
	if err != nil {
		return ""
	}
	for _, spec := range file.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		if name := path.Base(imported); edits.Declares(filepath.Dir(p.GoFiles[0]), p.Name, name) {
			return name
		}
	}
	return ""
}

// compose adds a part to the file, and its counterpart in the witness form. It returns an error if
// the package redeclares a predeclared name that the text uses.
func (p *pass) compose(name, part, text string) error {
	text = written(text)
	if other := rewrite.Shadowed(p.Package, text); other != "" {
		return fmt.Errorf("the package has the name %s for something else, and %s needs it", other, filepath.Base(name))
	}
	if err := p.edits.Compose(name, part, text); err != nil {
		return err
	}
	return p.edits.ComposeWitness(name, part, watchedChunks(p.chunks.typ, text))
}

// insertChunks writes the type at the end of the owner's file. It keeps the text of an earlier
// change, and adds missing methods.
func (p *pass) insertChunks() error {
	typ, file := p.chunks.typ, p.home
	name := filepath.Base(p.Fset.File(file.FileStart).Name())
	p.result.File, p.result.Inside = name, typ
	head, all := chunksText(p.chunks.names)
	texts := []string{insideText(head)}
	if p.chunks.file != "" {
		texts = nil
		p.watchInserted()
	}
	for _, part := range all {
		if p.needs[part.method] && !slices.Contains(p.chunks.methods, part.method) {
			texts = append(texts, part.text)
		}
	}
	for _, text := range texts {
		text = written(text)
		if other := rewrite.Shadowed(p.Package, text); other != "" {
			return fmt.Errorf("the package has the name %s for something else, and the type %s in %s needs it", other, typ, name)
		}
		p.edits.InsertOnceBoth(p.Fset, file.FileEnd, p.imports(&p.edits, text), p.imports(&p.edits, watchedChunks(typ, text)))
	}
	return nil
}

// watchInserted adds the witness form to a type that an earlier change has inserted.
func (p *pass) watchInserted() {
	typ := p.chunks.typ
	ast.Inspect(p.home, func(n ast.Node) bool {
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
	p.edits.InsertOnceBoth(p.Fset, p.home.FileEnd, "", p.imports(&p.edits, watchedMethods(typ)))
}

// receives reports whether a function is a method of the generic type with the given name.
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

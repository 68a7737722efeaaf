package rewrite

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/tools/go/packages"
)

// fieldNames returns the names of the field for values of a type: the plural of the type, or one that nobody has.
func (p *pass) fieldNames(o *owner, t types.Type) (name, plural string) {
	single := singular(t)
	plural = pluralOf(single)
	name = plural
	for i := 1; p.taken(o, name); i++ {
		name = single + "Slab"
		if i > 1 {
			name += strconv.Itoa(i)
		}
	}
	return name, plural
}

// singular is the name of a variable of a type.
func singular(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		return lowerFirst(t.Obj().Name())
	case *types.Basic:
		return t.Name()
	case *types.Pointer:
		return singular(t.Elem()) + "Ptr"
	case *types.Slice:
		return singular(t.Elem()) + "List"
	case *types.Array:
		return singular(t.Elem()) + "Array"
	case *types.Map:
		return singular(t.Elem()) + "Map"
	}
	return "value"
}

// lowerFirst makes an exported name an unexported one: node of Node, url of URL, httpNode of HTTPNode.
func lowerFirst(name string) string {
	runes := []rune(strings.TrimLeft(name, "_"))
	if len(runes) == 0 {
		return "value"
	}
	for i, r := range runes {
		if i > 0 && (!unicode.IsUpper(r) || i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
			break
		}
		runes[i] = unicode.ToLower(r)
	}
	return string(runes)
}

// pluralOf is the English plural of most names.
func pluralOf(name string) string {
	end := func(all ...string) bool {
		return slices.ContainsFunc(all, func(s string) bool { return strings.HasSuffix(name, s) })
	}
	switch {
	case end("ss", "x", "ch", "sh", "z"):
		return name + "es"
	case end("s"):
		return name
	case end("y") && !end("ay", "ey", "oy", "uy"):
		return strings.TrimSuffix(name, "y") + "ies"
	}
	return name + "s"
}

// taken reports whether a field would have the name of another one, or of a method: in the owner, in what it embeds, and in
// what embeds it.
func (p *pass) taken(o *owner, name string) bool {
	if slices.ContainsFunc(o.allocators, func(a *allocator) bool { return a.name == name }) {
		return true
	}
	has := func(t types.Type) bool {
		member, _, _ := types.LookupFieldOrMethod(t, true, p.Types, name)
		return member != nil
	}
	if has(o.object) || p.otherMethod(o.name, name) {
		return true
	}
	for _, value := range p.TypesInfo.Types {
		if t := value.Type; value.IsType() && embeds(t, o.object, nil) && has(t) {
			return true
		}
	}
	for _, object := range p.TypesInfo.Defs {
		if t, ok := object.(*types.TypeName); ok && embeds(t.Type(), o.object, nil) && has(t.Type()) {
			return true
		}
	}
	return false
}

// embeds reports whether the fields of one type are promoted to another.
func embeds(t types.Type, owner *types.Named, above []types.Type) bool {
	if pointer, ok := t.Underlying().(*types.Pointer); ok {
		t = pointer.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok || slices.Contains(above, t) {
		return false
	}
	above = append(above, t)
	for field := range s.Fields() {
		if !field.Embedded() {
			continue
		}
		inner := field.Type()
		if pointer, ok := inner.(*types.Pointer); ok {
			inner = pointer.Elem()
		}
		if types.Identical(inner, owner) || embeds(inner, owner, above) {
			return true
		}
	}
	return false
}

// otherMethod reports whether a file that was not loaded declares a method of that name.
func (p *pass) otherMethod(owner, name string) bool {
	for _, file := range p.own.others {
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil || len(fn.Recv.List) == 0 || fn.Name.Name != name {
				continue
			}
			t := ast.Unparen(fn.Recv.List[0].Type)
			if star, ok := t.(*ast.StarExpr); ok {
				t = star.X
			}
			if id, ok := t.(*ast.Ident); ok && id.Name == owner {
				return true
			}
		}
	}
	return false
}

// otherFiles parses the Go files of the folder that were not loaded: tests, and what is for other systems. What cannot be
// parsed is no concern of the package.
func otherFiles(pkg *packages.Package) (all []*ast.File) {
	if len(pkg.GoFiles) == 0 {
		return nil
	}
	names, _ := filepath.Glob(filepath.Join(filepath.Dir(pkg.GoFiles[0]), "*.go"))
	for _, name := range names {
		if slices.Contains(pkg.GoFiles, name) {
			continue
		}
		if file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution); err == nil && strings.TrimSuffix(file.Name.Name, "_test") == pkg.Name {
			all = append(all, file)
		}
	}
	return all
}

// mentioned reports whether a file that was not loaded has a name.
func (p *pass) mentioned(name string) (found bool) {
	for _, file := range p.own.others {
		ast.Inspect(file, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			found = found || ok && id.Name == name
			return !found
		})
	}
	return found
}

// free returns the first name that the package can declare, or "".
func (p *pass) free(names ...string) string {
	for _, name := range names {
		if p.ourChunks(name) || p.Types.Scope().Lookup(name) == nil && !p.importedAs(name) && !p.declaredElsewhere(name) {
			return name
		}
	}
	return ""
}

// declaredElsewhere reports whether a file that was not loaded declares a name, or has it for a package.
func (p *pass) declaredElsewhere(name string) bool {
	return slices.ContainsFunc(p.own.others, func(file *ast.File) bool {
		for _, spec := range file.Imports {
			if path, _ := strconv.Unquote(spec.Path.Value); spec.Name != nil && spec.Name.Name == name || path[strings.LastIndexByte(path, '/')+1:] == name {
				return true
			}
		}
		return declares(file, name)
	})
}

// declares reports whether a file declares a name for its package.
func declares(file *ast.File, name string) bool {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name == name {
				return true
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok && t.Name.Name == name {
					return true
				}
				if v, ok := spec.(*ast.ValueSpec); ok && slices.ContainsFunc(v.Names, func(id *ast.Ident) bool { return id.Name == name }) {
					return true
				}
			}
		}
	}
	return false
}

// importedAs reports whether a file has a name for a package, so that no declaration can have it.
func (p *pass) importedAs(name string) bool {
	for _, file := range p.Syntax {
		for _, spec := range file.Imports {
			if pkg := p.TypesInfo.PkgNameOf(spec); pkg != nil && (pkg.Name() == name || pkg.Name() == "." && pkg.Imported().Scope().Lookup(name) != nil) {
				return true
			}
		}
	}
	return false
}

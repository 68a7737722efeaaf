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

// taken reports whether a field cannot have a name: another new one has it, or the module says so.
func (p *pass) taken(o *owner, name string) bool {
	return slices.ContainsFunc(o.allocators, func(a *allocator) bool { return a.name == name }) || p.own.module.Taken(o.name, name) != ""
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
		if p.ourChunks(name) || !p.own.module.Declared(name) {
			return name
		}
	}
	return ""
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

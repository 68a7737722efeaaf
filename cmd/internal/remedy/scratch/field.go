package scratch

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"path"
	"slices"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/coppice-go/coppice/cmd/internal/rewrite"
)

// title returns the name of the variable, with a number appended if the function declares other
// variables with the same name before it.
func (g *growing) title() string {
	earlier := 0
	for name, o := range g.Package.TypesInfo.Defs {
		if o != nil && name.Name == g.v.Name() && g.Decl.Pos() <= name.Pos() && name.Pos() < g.v.Pos() {
			earlier++
		}
	}
	if earlier > 0 {
		return g.v.Name() + strconv.Itoa(earlier+1)
	}
	return g.v.Name()
}

// addField adds the field for the variable to the owner, once, and returns the name of the field.
func (g *growing) addField() string {
	if name, ok := g.field[g.v]; ok {
		return name
	}
	name := g.fieldName()
	g.field[g.v] = name
	fields, file := g.StructOf(g.named)
	elem, _ := g.importAndSpell(file, g.elem)
	text := fmt.Sprintf("\n\t// %s is scratch space of %s. It is empty while nothing uses it.\n\t%s []%s\n", name, g.Decl.Name.Name, name, elem)
	g.change.Edits.InsertBoth(g.Package.Fset, fields.Closing, text, text+"\t"+name+watchedField+" coppiceWitness\n")
	return name
}

// fieldName returns a name for the field, derived from the name of the variable. If another
// function to which the owner is passed has a slice with the same name, fieldName adds the name of
// the function, so that two proposals never choose the same name. If the name, or the name of the
// corresponding witness field, is taken, fieldName adds a number.
func (g *growing) fieldName() string {
	name := g.title() + "Of" + upper(g.functionName())
	if g.title() == g.v.Name() && g.onlyOne() {
		name = g.v.Name() + "Scratch"
	}
	first, size := utf8.DecodeRuneInString(name)
	name = string(unicode.ToLower(first)) + name[size:]
	for i, base := 2, name; g.isTaken(name) || g.isTaken(name+watchedField); i++ {
		name = base + strconv.Itoa(i)
	}
	return name
}

// isTaken reports whether the owner cannot have a field with the given name. The name is taken if
// the field for a different variable has it, or if World.Taken returns a reason.
func (g *growing) isTaken(name string) bool {
	for _, other := range g.field {
		if name == other {
			return true
		}
	}
	return g.world.Taken(g.named.Obj().Name(), name) != ""
}

// onlyOne reports whether no other function to which the owner is passed has a slice with the name
// of the variable.
func (g *growing) onlyOne() bool {
	others := false
	for _, decl := range g.Decls() {
		if decl == g.Decl || !g.gets(decl) {
			continue
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			name, ok := n.(*ast.Ident)
			if ok && name.Name == g.v.Name() {
				if v, ok := g.Package.TypesInfo.Defs[name].(*types.Var); ok {
					_, is := v.Type().Underlying().(*types.Slice)
					others = others || is
				}
			}
			return !others
		})
	}
	return !others
}

// gets reports whether a function has a pointer to the owner's type as its receiver or a parameter.
func (g *growing) gets(decl *ast.FuncDecl) bool {
	for _, list := range []*ast.FieldList{decl.Recv, decl.Type.Params} {
		if list != nil && slices.ContainsFunc(list.List, func(f *ast.Field) bool {
			return types.Identical(g.Package.TypesInfo.TypeOf(f.Type), g.owner.Type())
		}) {
			return true
		}
	}
	return false
}

// functionName returns the name of the function, preceded by the name of its receiver's type unless
// the receiver is the owner.
func (g *growing) functionName() string {
	name := g.Decl.Name.Name
	if g.Decl.Recv != nil && g.Parameter(g.Decl.Recv, 0) != g.owner {
		receiver := types.Unalias(g.Package.TypesInfo.TypeOf(g.Decl.Recv.List[0].Type))
		if p, ok := receiver.(*types.Pointer); ok {
			receiver = types.Unalias(p.Elem())
		}
		if named, ok := receiver.(*types.Named); ok {
			name = named.Obj().Name() + upper(name)
		}
	}
	return name
}

func upper(name string) string {
	first, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(first)) + name[size:]
}

// refuseStruct returns the reason that the owner's struct cannot have an additional field, or "" if
// it can.
func (g *growing) refuseStruct() string {
	name := g.named.Obj().Name()
	fields, file := g.StructOf(g.named)
	switch {
	case fields == nil:
		return name + " is not a struct that this package declares"
	case ast.IsGenerated(file), !slices.Contains(g.Package.GoFiles, g.Package.Fset.File(file.FileStart).Name()):
		return "the file that declares " + name + " is generated, or uses cgo"
	case g.named.Obj().Exported() && types.Comparable(g.named):
		return name + " is exported, and could no longer be compared"
	case g.overwritten():
		return name + " is set as a whole somewhere, which would take the scratch space from its user"
	case g.owner.Name() == "i":
		return "the owner has the name of the index that clears"
	case g.Unkeyed(g.named):
		return name + " is written without field names"
	}
	elem, why := g.spell(file, g.elem)
	if why != "" {
		return why
	}
	if other := rewrite.Shadowed(g.Package, "append len nil", elem); other != "" {
		return other + " is another name in the package"
	}
	if _, why := g.spell(g.File, g.elem); why != "" && version.Compare(g.Language, "go1.21") < 0 {
		return why
	}
	return ""
}

// overwritten reports whether a value of the owner's type is assigned as a whole.
func (g *growing) overwritten() (found bool) {
	for _, file := range g.Package.Syntax {
		ast.Inspect(file, func(n ast.Node) bool {
			if assign, ok := n.(*ast.AssignStmt); ok && assign.Tok == token.ASSIGN {
				for _, left := range assign.Lhs {
					t := g.Package.TypesInfo.TypeOf(left)
					found = found || t != nil && types.Identical(t, g.named)
				}
			}
			return !found
		})
	}
	return found
}

// spell returns the source of a type, as it would be written if the file had the imports that the
// type needs. If the type has no name outside the function that declares it, spell returns the
// reason instead.
func (g *growing) spell(file *ast.File, t types.Type) (name, why string) {
	return g.spellWith(file, t, (*types.Package).Name)
}

// importAndSpell is like spell, but adds the missing imports to the file.
func (g *growing) importAndSpell(file *ast.File, t types.Type) (name, why string) {
	return g.spellWith(file, t, func(other *types.Package) string {
		return g.change.Edits.Import(g.Package.Fset, g.Package.Types, file, other.Path())
	})
}

// spellWith is like spell, but nameOf returns the names of packages that the file does not import
// yet.
func (g *growing) spellWith(file *ast.File, t types.Type, nameOf func(*types.Package) string) (name, why string) {
	if !nameable(t) {
		return "", "the type of the elements has no name outside the function"
	}
	name = types.TypeString(t, func(other *types.Package) string {
		if other == g.Package.Types {
			return ""
		}
		for _, spec := range file.Imports {
			if p, _ := strconv.Unquote(spec.Path.Value); p == other.Path() {
				switch {
				case spec.Name == nil:
					return other.Name()
				case spec.Name.Name != "_" && spec.Name.Name != ".":
					return spec.Name.Name
				}
			}
		}
		if path.Base(other.Path()) != other.Name() {
			why = "the file of the owner does not import the package of the elements"
		}
		if why != "" {
			return other.Name()
		}
		return nameOf(other)
	})
	return name, why
}

// nameable reports whether all functions of a package can name a type.
func nameable(t types.Type) bool {
	global := func(o *types.TypeName) bool { return o.Pkg() == nil || o.Parent() == o.Pkg().Scope() }
	switch t := t.(type) {
	case *types.Basic:
		return true
	case *types.Alias:
		return global(t.Obj()) && nameable(types.Unalias(t))
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			if !nameable(arg) {
				return false
			}
		}
		return global(t.Obj())
	case *types.Pointer:
		return nameable(t.Elem())
	case *types.Slice:
		return nameable(t.Elem())
	case *types.Array:
		return nameable(t.Elem())
	case *types.Map:
		return nameable(t.Key()) && nameable(t.Elem())
	case *types.Interface:
		return t.Empty()
	}
	return false
}

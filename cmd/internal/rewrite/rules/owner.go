package rules

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/coppice-go/coppice/cmd/internal/rewrite"
)

// arenaPath is the import path of the package that code in the form Arena calls.
const arenaPath = "github.com/coppice-go/coppice/arena"

// arenaVariable is the name of the package variable that contains the arena. The program that uses
// the package sets the variable and resets the arena.
const arenaVariable = "CoppiceArena"

// fieldName is the name of the field that is added to an owner, and variable is the name of the
// variable that is added to the package.
const (
	fieldName = "coppice"
	variable  = "coppiceOwned"
)

// ownerOf returns the owner with the given name. It returns an error if the struct cannot own
// allocators, for example because it is copied: the copies would hand out the same memory twice.
func (p *pass) ownerOf(name string) (*owner, error) {
	if o, ok := p.owners[name]; ok {
		return o, nil
	}
	o := &owner{name: name}
	if name != "" {
		var err error
		if o.Owner, err = p.Owner(name); err != nil {
			return nil, err
		}
		if member, _, _ := types.LookupFieldOrMethod(o.Object, true, p.Types, fieldName); member != nil {
			return nil, fmt.Errorf("%s already has a %s", name, fieldName)
		}
		if err := cmp.Or(p.Named(o.Object), p.NotCopied(o.Object)); err != nil {
			return nil, err
		}
	}
	p.owners[name] = o
	return o, nil
}

// place returns the expression for the allocators at a site, or the reason why there is none.
func (p *pass) place(s rewrite.Site, r *Rule) (where, why string) {
	o := p.owners[r.Owner]
	switch {
	case o.name != "":
		v, why := p.At(s, o.Owner)
		if why != "" {
			return "", why
		}
		return v.Name() + "." + fieldName, ""
	case p.form == Arena:
		return arenaVariable, ""
	}
	return variable, ""
}

// allocator returns the owner's allocator for a type. It adds a new allocator if there is none.
func (o *owner) allocator(p *pass, t types.Type) *allocator {
	for _, a := range o.allocators {
		if types.Identical(a.typ, t) {
			return a
		}
	}
	name := field(types.TypeString(t, p.Short))
	for i, base := 2, name; slices.ContainsFunc(o.allocators, func(a *allocator) bool { return a.name == name }); i++ {
		name = base + strconv.Itoa(i)
	}
	if name == "text" {
		name = "text_"
	}
	a := &allocator{name: name, typ: t}
	o.allocators = append(o.allocators, a)
	return a
}

// field derives the name of an allocator from the name of its type.
func field(name string) string {
	name = strings.NewReplacer("*", "ptr", "[]", "list", ".", "", "interface{}", "any").Replace(name)
	return strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '_'
	}, name)
}

// wire adds the field to each owner, and sets it to the arena in owners that the package creates.
func (p *pass) wire() error {
	for _, o := range p.owners {
		if o.name == "" {
			continue
		}
		typ := ownerType(o.name)
		if p.form == Arena {
			file := p.FileOf(o.Fields.Pos())
			if file == nil {
				return errors.New("an owner is in no file of the package")
			}
			typ = "*" + p.importArena(file) + ".Arena"
		}
		p.edits.Insert(p.Fset, o.Fields.Closing, "\n\t// "+fieldName+" is where values come from.\n\t"+fieldName+" "+typ+"\n")
		if p.form == Arena && p.handOver(o) == 0 {
			return fmt.Errorf("no composite literal of %s could take the arena; let the package own it", o.name)
		}
	}
	return nil
}

// ownerType returns the name of the type that contains the allocators of a struct.
func ownerType(name string) string {
	first, size := utf8.DecodeRuneInString(name)
	return "coppiceOf" + string(unicode.ToUpper(first)) + name[size:]
}

// handOver sets the arena field in the composite literals of the owner, and returns the number of
// these literals.
func (p *pass) handOver(o *owner) (n int) {
	for _, file := range p.Syntax {
		ast.Inspect(file, func(node ast.Node) bool {
			lit, ok := node.(*ast.CompositeLit)
			if ok && types.Identical(p.TypesInfo.TypeOf(lit), o.Object) {
				end := ""
				if len(lit.Elts) > 0 {
					end = ", "
				}
				p.edits.Insert(p.Fset, lit.Lbrace+1, fieldName+": "+arenaVariable+end)
				n++
			}
			return true
		})
	}
	return n
}

// importArena imports package arena into a file, under a name that the file does not use otherwise.
func (p *pass) importArena(file *ast.File) string {
	return p.edits.Import(p.Fset, p.Types, file, arenaPath)
}

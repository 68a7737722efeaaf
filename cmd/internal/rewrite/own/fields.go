package own

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd"
)

// slabPath is the import path of the package that declares the type of the fields, if the module
// requires Coppice.
const slabPath = cmd.Library + "/slab"

// spelled returns the name of a type in the owner's file, as if the file had all imports that the
// name needs.
func (p *pass) spelled(o *owner, t types.Type) (name, why string) {
	return p.spellWith(o, t, (*types.Package).Name)
}

// spell returns the name of a type in the owner's file, and adds the imports that the name needs.
func (p *pass) spell(o *owner, t types.Type) (name, why string) {
	return p.spellWith(o, t, func(other *types.Package) string {
		return p.edits.Import(p.Fset, p.Types, p.FileOf(o.Fields.Pos()), other.Path())
	})
}

// spellWith implements spell and spelled. The function foreign returns names for packages that the
// file does not import.
func (p *pass) spellWith(o *owner, t types.Type, foreign func(*types.Package) string) (name, why string) {
	file := p.FileOf(o.Fields.Pos())
	name = types.TypeString(t, func(other *types.Package) string {
		if other == p.Types {
			return ""
		}
		if known := p.imported(file, other); known != "" {
			return known
		}
		if base := other.Path()[strings.LastIndexByte(other.Path(), '/')+1:]; base != other.Name() {
			why = "the file of the owner does not import the package of its type"
			return base
		}
		return foreign(other)
	})
	return name, why
}

// imported returns the name by which a file refers to an imported package, or "" if the file does
// not import the package.
func (p *pass) imported(file *ast.File, other *types.Package) string {
	for _, spec := range file.Imports {
		if name := p.TypesInfo.PkgNameOf(spec); name != nil && name.Imported() == other && name.Name() != "_" && name.Name() != "." {
			return name.Name()
		}
	}
	return ""
}

// wire adds the new fields to the owners, and the type of these fields to the package.
func (p *pass) wire() error {
	for _, name := range slices.Sorted(maps.Keys(p.owners)) {
		o := p.owners[name]
		if len(o.slabs) == 0 {
			continue
		}
		file := p.FileOf(o.Fields.Pos())
		if file == nil {
			return errors.New("an owner is in no file of the package")
		}
		kind, watched := p.chunks.typ, p.chunks.typ
		if p.library {
			kind, watched = p.edits.Import(p.Fset, p.Types, file, slabPath)+".Chunks", watchedSlab
		}
		var fields, watching []string
		for _, a := range o.slabs {
			element, why := p.spell(o, a.typ)
			if why != "" {
				return errors.New(why)
			}
			fields = append(fields, fmt.Sprintf("\t%s %s[%s]", a.name, kind, element))
			watching = append(watching, fmt.Sprintf("\t%s %s[%s]", a.name, watched, element))
		}
		lines, watchingLines := p.fieldLines(o, fields), p.fieldLines(o, watching)
		for i, line := range lines {
			p.edits.InsertOnceBoth(p.Fset, o.Fields.Closing, line, watchingLines[i])
		}
		if p.library { // the import of the library must remain used
			p.edits.InsertOnceBoth(p.Fset, o.Fields.Closing, "", "\t_ [0]"+kind+"[byte]\n")
		}
	}
	if err := p.addWitness(); err != nil {
		return err
	}
	switch {
	case p.library || len(p.needs) == 0:
		return nil
	case p.chunks.typ == "":
		return fmt.Errorf("the package has the names %s and %s for something else", allNames[0].typ, allNames[1].typ)
	}
	return p.writeChunks()
}

// fieldLines returns the lines that add the fields at the end of a struct.
func (p *pass) fieldLines(o *owner, fields []string) []string {
	slices.Sort(fields)
	lead := "\n"
	line := func(pos token.Pos) int { return p.Fset.PositionFor(pos, false).Line }
	if n := len(o.Fields.List); n > 0 && line(o.Fields.List[n-1].End()) == line(o.Fields.Closing) || n == 0 && line(o.Fields.Opening) == line(o.Fields.Closing) {
		lead = "\n\n"
	}
	if len(o.Fields.List) == 0 {
		lead = lead[1:]
	}
	if len(fields) == 1 {
		return []string{lead + fields[0] + " // where " + o.slabs[0].plural + " come from; the collector frees them\n"}
	}
	lines := []string{lead + "\t// Where values come from; the collector frees them.\n"}
	for _, field := range fields {
		lines = append(lines, field+"\n")
	}
	return lines
}

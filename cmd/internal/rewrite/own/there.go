package own

import (
	"errors"
	"go/ast"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/rewrite/edits"
)

// Some packages cannot get a new file. If a package is built from a list of files, the list would
// not include the new file; if a package embeds its files as data, the new file would be embedded,
// too. In such a package, the type chunks is appended to the file that declares the owner, which is
// already in the list.

// chunksFile is the name, without the extension, of the file that a package gets if its module does
// not require Coppice.
const chunksFile = "coppice_chunks"

// chunksType returns the type of the fields: the type that an earlier change has written or, if
// there is none, a new type whose name the package can declare. If neither is possible, the name of
// the returned type is empty.
func (p *pass) chunksType() chunksType {
	for _, n := range allNames {
		if there := p.earlier(n.typ); there.file != "" {
			return there
		}
		if !p.module.Declared(n.typ) {
			return chunksType{names: n}
		}
	}
	return chunksType{}
}

// earlier returns the type with the given name if an earlier change has written it to the file that
// this change would use.
func (p *pass) earlier(typ string) (there chunksType) {
	t := p.Types.Scope().Lookup(typ)
	switch {
	case t == nil:
	case p.home == nil:
		there = p.ours(p.Fset.File(t.Pos()).Name())
	case p.FileOf(t.Pos()) == p.home:
		there = p.inserted(typ)
	}
	return there
}

// chunksName returns the name of the file for the type: the file that an earlier change has
// written, or a new file. A file that a different tool or a person has written is left unchanged,
// even if its name matches.
func (p *pass) chunksName() string {
	base := filepath.Join(filepath.Dir(p.GoFiles[0]), chunksFile)
	name := base + ".go"
	for i := 2; !p.isOurs(name) && exists(name); i++ {
		name = base + strconv.Itoa(i) + ".go"
	}
	return name
}

// exists reports whether a file with the given name exists, even if it cannot be read.
func exists(name string) bool {
	_, err := os.Lstat(name)
	return !errors.Is(err, fs.ErrNotExist)
}

// isOurs reports whether a file contains only text that an earlier change has written.
func (p *pass) isOurs(name string) bool {
	return p.ours(name).file != ""
}

// ours returns the type that an earlier change has written into a file, if the file contains
// nothing else. The build constraint may differ.
func (p *pass) ours(name string) chunksType {
	data, err := os.ReadFile(name)
	if err != nil {
		return chunksType{}
	}
	text := string(data)
	if before, rest, ok := strings.Cut(text, "\n"+goBuild); ok {
		_, rest, _ = strings.Cut(rest, "\n")
		text = before + "\n" + rest
	}
	for _, n := range allNames {
		there := chunksType{names: n, file: name}
		head, all := chunksText(n)
		rest, ok := cutPrefix(words(text), fileText(head, p.Types.Name(), ""))
		for _, part := range all {
			has := false
			if rest, has = cutPrefix(rest, part.text); has {
				there.methods = append(there.methods, part.method)
			}
		}
		if ok && rest == "" {
			return there
		}
	}
	return chunksType{}
}

// cutPrefix removes a part of the source from the beginning of a text with single spaces (see
// words), and reports whether the text began with that part.
func cutPrefix(text, part string) (rest string, found bool) {
	if at := pattern(part).FindStringIndex(text); at != nil && at[0] == 0 {
		return strings.TrimPrefix(text[at[1]:], " "), true
	}
	return text, false
}

// inserted returns the type with the given name that an earlier change has written into the owner's
// file. It returns no type if the type or one of its methods has been edited since then.
func (p *pass) inserted(typ string) (there chunksType) {
	name := p.Fset.File(p.home.FileStart).Name()
	data, err := os.ReadFile(name)
	if err != nil {
		return chunksType{}
	}
	text := words(string(data))
	declared := types.NewMethodSet(types.NewPointer(p.Types.Scope().Lookup(typ).Type()))
	for _, n := range allNames {
		if n.typ != typ {
			continue
		}
		found := chunksType{names: n, file: name}
		head, all := chunksText(n)
		wanted := []string{insideText(head)}
		for _, part := range all {
			if declared.Lookup(p.Types, n.method(part.method)) != nil {
				found.methods = append(found.methods, part.method)
				wanted = append(wanted, part.text)
			}
		}
		strange := func(part string) bool { return !pattern(p.imports(&edits.Set{}, part)).MatchString(text) }
		if !slices.ContainsFunc(wanted, strange) && (there.file == "" || len(found.methods) > len(there.methods)) {
			there = found // if the type has none of the renamed methods, later names fit as well
		}
	}
	return there
}

// imports adapts a part of the source to the owner's file: it replaces the package names with the
// names by which the file imports the packages. If necessary, it adds an import to the set of
// edits.
func (p *pass) imports(set *edits.Set, text string) string {
	var names []string
	for _, path := range []string{"reflect", "sync"} {
		if strings.Contains(text, path+".") {
			names = append(names, path+".", set.Import(p.Fset, p.Types, p.home, path)+".")
		}
	}
	return strings.NewReplacer(names...).Replace(text)
}

// homeOf returns the owner's file if the type chunks must be in that file, or nil if the type gets
// a file of its own.
func (p *pass) homeOf(asks []Ask) *ast.File {
	if len(asks) == 0 || p.module.NewFile(p.chunksName()) == "" {
		return nil
	}
	return p.declaring(asks[0].Owner)
}

// declaring returns the file that declares a name of the package, or nil if there is none.
func (p *pass) declaring(name string) *ast.File {
	if object := p.Types.Scope().Lookup(name); object != nil {
		return p.FileOf(object.Pos())
	}
	return nil
}

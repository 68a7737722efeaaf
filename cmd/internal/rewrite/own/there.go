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

// Some packages get no new file: one that is built by a list of files would not have it in the list, and one that has its files as data would have
// it among these. There the type chunks stands at the end of the file that declares its owner: a list with a file that changes has that file.

// chunksFile is the name of the file that a package gets where its module does not require Coppice, without its end.
const chunksFile = "coppice_chunks"

// chunksNames are the names of the type, of which the first that nobody has is taken.
var chunksNames = []string{"chunks", "coppiceChunks"}

// free returns the first name that the package can declare, or "".
func (p *pass) free(names ...string) string {
	for _, name := range names {
		if p.ourChunks(name) || !p.module.Declared(name) {
			return name
		}
	}
	return ""
}

// ourChunks reports whether the package has the type of that name already, from an earlier change, where this one would write it.
func (p *pass) ourChunks(name string) bool {
	t := p.Types.Scope().Lookup(name)
	if t == nil {
		return false
	}
	if p.home != nil {
		return p.FileOf(t.Pos()) == p.home && p.isInserted(name)
	}
	return p.isOurs(p.Fset.File(t.Pos()).Name())
}

// chunksName is the file for the type: one that is there from an earlier change, or one that is not there. A file that somebody else has
// written stays as it is, whatever its name.
func (p *pass) chunksName() string {
	base := filepath.Join(filepath.Dir(p.GoFiles[0]), chunksFile)
	name := base + ".go"
	for i := 2; !p.isOurs(name) && exists(name); i++ {
		name = base + strconv.Itoa(i) + ".go"
	}
	return name
}

// exists reports whether there is something of that name, also what cannot be read.
func exists(name string) bool {
	_, err := os.Lstat(name)
	return !errors.Is(err, fs.ErrNotExist)
}

// isOurs reports whether a file has what a change has written, and nothing else. Its build constraint may be that of other builds.
func (p *pass) isOurs(name string) bool {
	data, err := os.ReadFile(name)
	if err != nil {
		return false
	}
	text := string(data)
	if before, rest, ok := strings.Cut(text, "\n"+goBuild); ok {
		_, rest, _ = strings.Cut(rest, "\n")
		text = before + "\n" + rest
	}
	for _, typ := range chunksNames {
		head, all := chunksText(typ)
		rest, ok := cutPrefix(words(text), fileText(head, p.Types.Name(), ""))
		for _, part := range all {
			rest, _ = cutPrefix(rest, part.text)
		}
		if ok && rest == "" {
			return true
		}
	}
	return false
}

// cutPrefix returns a text of words without a part of the source at its beginning, and whether that is there.
func cutPrefix(text, part string) (rest string, found bool) {
	if at := pattern(part).FindStringIndex(text); at != nil && at[0] == 0 {
		return strings.TrimPrefix(text[at[1]:], " "), true
	}
	return text, false
}

// isInserted reports whether the file of the owner has the type of that name as a change has written it, with all of its methods.
func (p *pass) isInserted(typ string) bool {
	data, err := os.ReadFile(p.Fset.File(p.home.FileStart).Name())
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
	return !slices.ContainsFunc(wanted, func(part string) bool { return !pattern(p.imports(&edits.Set{}, part)).MatchString(text) })
}

// chunksMethods are the methods of a type of the package.
func (p *pass) chunksMethods(typ string) (all []string) {
	for method := range types.NewMethodSet(types.NewPointer(p.Types.Scope().Lookup(typ).Type())).Methods() {
		all = append(all, method.Obj().Name())
	}
	return all
}

// imports is a part of the source with the names by which the file of the owner imports packages, with a set of edits that may add an import.
func (p *pass) imports(set *edits.Set, text string) string {
	var names []string
	for _, path := range []string{"reflect", "sync"} {
		if strings.Contains(text, path+".") {
			names = append(names, path+".", set.Import(p.Fset, p.Types, p.home, path)+".")
		}
	}
	return strings.NewReplacer(names...).Replace(text)
}

// homeOf is the file of the owner if the type chunks stands there; nil if it gets a file of its own.
func (p *pass) homeOf(asks []Ask) *ast.File {
	if len(asks) == 0 || p.module.NewFile(p.chunksName()) == "" {
		return nil
	}
	return p.declaring(asks[0].Owner)
}

// declaring is the file that declares a name of the package; nil if none does.
func (p *pass) declaring(name string) *ast.File {
	if object := p.Types.Scope().Lookup(name); object != nil {
		return p.FileOf(object.Pos())
	}
	return nil
}

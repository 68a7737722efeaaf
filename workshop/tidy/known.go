package tidy

import (
	"fmt"
	"go/ast"
	"path"
	"regexp"
	"strings"
)

// declared maps the name of each package that users import to the set of names that the package
// declares, such as "Slab", and "Slab.New" for methods and fields.
type declared map[string]map[string]bool

func (t *Tree) declared() declared {
	all := declared{}
	for _, f := range t.Go {
		if f.Test || !t.forUsers(f.Package) {
			continue
		}
		name := path.Base(f.Package)
		if all[name] == nil {
			all[name] = map[string]bool{}
		}
		for _, d := range f.Decls {
			for _, one := range namesOf(d) {
				all[name][one] = true
			}
		}
	}
	return all
}

// namesOf returns the names that d declares, including methods and fields.
func namesOf(d ast.Decl) (names []string) {
	if fn, is := d.(*ast.FuncDecl); is {
		if r := receiver(fn); r != "" {
			return []string{r + "." + fn.Name.Name}
		}
		return []string{fn.Name.Name}
	}
	for _, spec := range d.(*ast.GenDecl).Specs {
		switch s := spec.(type) {
		case *ast.ValueSpec:
			for _, name := range s.Names {
				names = append(names, name.Name)
			}
		case *ast.TypeSpec:
			names = append(names, s.Name.Name)
			for _, member := range members(s.Type) {
				names = append(names, s.Name.Name+"."+member)
			}
		}
	}
	return names
}

// members returns the names of the fields of a struct, or of the methods of an interface. The name
// of an embedded field or interface is the name of its type.
func members(t ast.Expr) (names []string) {
	var list *ast.FieldList
	switch t := t.(type) {
	case *ast.StructType:
		list = t.Fields
	case *ast.InterfaceType:
		list = t.Methods
	default:
		return nil
	}
	for _, field := range list.List {
		for _, name := range field.Names {
			names = append(names, name.Name)
		}
	}
	return names
}

// qualified matches qualified names, such as slab.Slab and slab.Slab.New. The character before the
// name is checked so that the pattern does not match the end of another name, of a path or of C++
// code.
var qualified = regexp.MustCompile(`(?:^|[^\w./:-])([a-z]+)\.([A-Z]\w*)(?:\.([A-Z]\w*))?`)

// docLink matches a link in a comment to a name in the same package.
var docLink = regexp.MustCompile(`(?:^|[\s(])\[\*?([A-Z]\w*(?:\.[A-Z]\w*)?)\](?:$|[\s.,;:)'])`)

// unknown returns the qualified names in a line that the named package, which must be in d, does
// not declare. The names are returned as they are written in the line.
func (d declared) unknown(line string) (names []string) {
	for _, m := range qualified.FindAllStringSubmatch(line, -1) {
		of := d[m[1]]
		if of == nil || of[m[2]] && (m[3] == "" || of[m[2]+"."+m[3]] || !d.hasMembers(m[1], m[2])) {
			continue
		}
		names = append(names, strings.TrimSuffix(m[1]+"."+m[2]+"."+m[3], "."))
	}
	return names
}

// hasMembers reports whether a type declares methods or fields itself. Methods and fields that are
// promoted from embedded types are not in d.
func (d declared) hasMembers(pkg, name string) bool {
	for one := range d[pkg] {
		if strings.HasPrefix(one, name+".") {
			return true
		}
	}
	return false
}

// history reports whether a document may mention names that no longer exist.
func history(file string) bool {
	return file == "CHANGELOG.md" || strings.HasPrefix(file, "docs/decisions/") || strings.HasPrefix(file, "docs/results/")
}

// unknownNames requires that documents and comments of the library mention only declared names of
// this repository's packages. It checks names such as pkg.Name and pkg.Type.Method, and links such
// as [Type.Method].
func unknownNames(t *Tree) (all []Complaint) {
	names := t.declared()
	for f := range t.documents() {
		if history(f.Path) || strings.Contains(f.Path, "testdata/") {
			continue
		}
		for i, line := range f.lines() {
			for _, name := range names.unknown(line) {
				all = append(all, Complaint{f.Path, i + 1, fmt.Sprintf("there is no %s; name what is there", name)})
			}
		}
	}
	for _, f := range t.Go {
		if f.Test || !t.forUsers(f.Package) || ast.IsGenerated(f.File) {
			continue
		}
		for _, group := range f.Comments {
			all = append(all, t.unknownIn(f, group, names)...)
		}
	}
	return all
}

// unknownIn implements unknownNames for one comment.
func (t *Tree) unknownIn(f *GoFile, group *ast.CommentGroup, names declared) (all []Complaint) {
	own := names[path.Base(f.Package)]
	for _, c := range group.List {
		for i, line := range strings.Split(c.Text, "\n") {
			wrong := names.unknown(line)
			for _, m := range docLink.FindAllStringSubmatch(line, -1) {
				if name, _, _ := strings.Cut(m[1], "."); !own[m[1]] && (!own[name] || names.hasMembers(path.Base(f.Package), name)) {
					wrong = append(wrong, "["+m[1]+"]")
				}
			}
			for _, name := range wrong {
				all = append(all, Complaint{f.Path, t.line(c.Pos()) + i, fmt.Sprintf("there is no %s; name what is there", name)})
			}
		}
	}
	return all
}

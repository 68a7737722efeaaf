package tidy

import (
	"fmt"
	"go/ast"
	"path"
	"regexp"
	"strings"
)

// declared maps the name of each package that users import to the names that it declares: "Slab",
// and "Slab.New" for methods and fields.
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

// namesOf returns the names that a declaration declares.
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

// members returns the names of fields of a struct, or of methods of an interface. An embedded field
// or interface has the name of its type.
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

// qualified matches names as other packages write them: slab.Slab, slab.Slab.New. The character
// before must not make it a part of another name, of a path or of C++.
var qualified = regexp.MustCompile(`(?:^|[^\w./:-])([a-z]+)\.([A-Z]\w*)(?:\.([A-Z]\w*))?`)

// docLink matches a link of a comment to a name in the same package.
var docLink = regexp.MustCompile(`(?:^|[\s(])\[\*?([A-Z]\w*(?:\.[A-Z]\w*)?)\](?:$|[\s.,;:)'])`)

// unknown returns the names in a line that no package declares, as they are written in that line.
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

// hasMembers reports whether the type declares methods or fields itself. Methods and fields that
// are promoted from embedded types are not known here.
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

// unknownNames requires each name of a package of ours, in a document or a comment of the library,
// to be one that the package declares: pkg.Name, pkg.Type.Method, and links such as [Type.Method].
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

// unknownIn does the work of unknownNames for one comment.
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

package tidy

import (
	"bytes"
	"go/ast"
	"io/fs"
	"path"
	"strings"
)

// unsafeList is the path of the document that lists every file that uses package unsafe.
const unsafeList = "docs/UNSAFE.md"

func importsUnsafe(f *GoFile) bool {
	for _, i := range f.Imports {
		if i.Path.Value == `"unsafe"` {
			return true
		}
	}
	return false
}

func unsafeFiles(t *Tree) (all []Complaint) {
	list, _ := fs.ReadFile(t.files, unsafeList)
	for _, f := range t.Go {
		if !importsUnsafe(f) {
			continue
		}
		if !strings.HasSuffix(strings.TrimSuffix(f.Path, "_test.go"), "_unsafe.go") && !strings.HasSuffix(f.Path, "_unsafe_test.go") {
			all = append(all, Complaint{f.Path, 0, "imports unsafe; move what needs it to a file named *_unsafe.go"})
		}
		name := f.Path
		if ast.IsGenerated(f.File) {
			name = path.Base(f.Path) // one row covers all generated files of this name
		}
		if !f.Test && !bytes.Contains(list, []byte(name)) {
			all = append(all, Complaint{f.Path, 0, "imports unsafe and is not in " + unsafeList + "; add a row with its invariant and the test that breaks"})
		}
	}
	return all
}

// unsafeUses requires a Safety comment in every function whose body uses package unsafe, except for
// functions such as unsafe.Sizeof, whose results are constants.
func unsafeUses(t *Tree) (all []Complaint) {
	t.functions(func(f *GoFile, fn *ast.FuncDecl) {
		if !importsUnsafe(f) || f.Test || fn.Body == nil {
			return
		}
		used := false
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				x, _ := s.X.(*ast.Ident)
				used = used || x != nil && x.Name == "unsafe" && s.Sel.Name != "Sizeof" && s.Sel.Name != "Alignof"
			}
			return true
		})
		if used && !hasSafetyLine(f, fn) {
			all = append(all, t.complain(f, fn.Pos(), "%s uses unsafe without a line \"// Safety: ...\"; state the invariant and the test that breaks if it is false", fn.Name.Name))
		}
	})
	return all
}

func hasSafetyLine(f *GoFile, fn *ast.FuncDecl) bool {
	for _, group := range f.Comments {
		inside := fn.Pos() <= group.Pos() && group.End() <= fn.End()
		if (inside || group == fn.Doc) && strings.Contains(group.Text(), "Safety: ") {
			return true
		}
	}
	return false
}

func runtimeTricks(t *Tree) (all []Complaint) {
	for _, f := range t.Go {
		for _, group := range f.Comments {
			for _, c := range group.List {
				if strings.HasPrefix(c.Text, "//go:"+"linkname") {
					all = append(all, t.complain(f, c.Pos(), "linkname reaches into the runtime; use what the runtime exports"))
				}
			}
		}
		if f.Test {
			continue // a test may check what happens with a user's finalizer
		}
		f.calls("runtime", "SetFinalizer", func(call *ast.CallExpr) {
			all = append(all, t.complain(f, call.Pos(), "a finalizer may never run; give the type a Close, and report what was left open"))
		})
	}
	return all
}

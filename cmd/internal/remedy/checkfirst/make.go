package checkfirst

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/parses"
	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
	"github.com/coppice-go/coppice/cmd/internal/rewrite"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

const about = "A text that does not begin like a number is recognized before package strconv allocates an error for it. " +
	"The result and whether there is an error are as before; the error is another one, but the code only compares it with nil."

const undo = "The changes are independent: call package strconv again, and remove the new functions."

// A checker edits calls to functions of package strconv.
type checker struct {
	*change.Editor
	home map[string]*ast.File // the file with each new function
}

// checkFirst is the maker. It replaces calls to functions of package strconv whose error is only
// compared with nil.
func checkFirst(r *change.Request) (*change.Change, error) {
	e, err := change.NewEditor(r)
	if err != nil {
		return nil, err
	}
	k := &checker{e, map[string]*ast.File{}}
	for _, s := range r.Sites {
		if done, why := k.change(s); why != "" {
			k.Leave(s, why)
		} else {
			k.Did(s, done)
		}
	}
	k.About, k.Undo = about, undo
	return &k.Change, nil
}

// change replaces the call of a site. It returns a description of the change, or the reason that
// the call is left unchanged.
func (k *checker) change(s *site.Site) (done, why string) {
	scene, why := k.Scene(s)
	if why != "" {
		return "", why
	}
	call, ok := scene.Path[len(scene.Path)-1].(*ast.CallExpr)
	if !ok || !parses.Unread(k.Package.TypesInfo, scene.Decl, scene.Path[len(scene.Path)-2], call) {
		return "", "the error may be read"
	}
	f := functions[k.Callee(call)]
	function, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return "", "the file imports strconv without a name"
	}
	if slices.Contains(k.Taken, ast.Node(function)) { // the error and the copied text are separate sites
		return "is part of another change to the same expression", ""
	}
	if why := k.unfit(f, call); why != "" {
		return "", why
	}
	if !k.Untouched(function) || scene.Commented(function.Pos(), function.End()) {
		return "", change.Busy
	}
	strconv := k.Source(function.X)
	if slices.Contains(strings.Split(f.arguments, ", "), strconv) {
		return "", "the file imports strconv as " + strconv + ", which is a parameter of the new function"
	}
	text := f.text(strconv)
	if name := rewrite.Shadowed(k.Package, text); name != "" {
		return "", name + " is another name in the package"
	}
	switch home := k.home[f.name]; home {
	case scene.File:
	case nil:
		k.home[f.name] = scene.File
		k.Edits.InsertOnce(k.Package.Fset, scene.File.FileEnd, text)
	default:
		file := k.Package.Fset.File
		if why := k.World.Lacks(file(scene.File.FileStart).Name(), file(home.FileStart).Name()); why != "" {
			return "", "the new function is in another file, and " + why
		}
	}
	k.Replace(function.Pos(), function.End(), f.name)
	k.Edits.Drop(k.Package.Fset, scene.File, "strconv")
	k.Take(function)
	return f.name + " checks how the text begins", ""
}

// unfit returns the reason that a call cannot be replaced with a call to the new function, or "" if
// it can.
func (k *checker) unfit(f function, call *ast.CallExpr) string {
	if k.World.Declared(f.name) || change.Lookup(k.Package.Types, f.name, call.Pos()) != nil {
		return "the name " + f.name + " is taken"
	}
	if f.based && len(call.Args) > 1 {
		base := k.Package.TypesInfo.Types[call.Args[1]].Value
		if base != nil && constant.Compare(base, token.GTR, constant.MakeInt64(10)) {
			return fmt.Sprintf("the base is %s: a number may begin with a letter", base)
		}
	}
	return ""
}

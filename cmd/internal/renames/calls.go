package renames

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// calls maps each function whose parameters changed to a function that adapts its calls.
var calls = map[string]func(*look, *ast.CallExpr, string){
	root + "hashmap.New":         withOptions,
	root + "hashmap.NewSharded":  withOptions,
	root + "btree.New":           withOptions,
	root + "btree.NewFunc":       withOptions,
	root + "symbols.New":         withOptions,
	root + "hashmap.OpenSharded": intoOptions("Shards"),
	root + "cache.Open":          intoOptions("MaxBytes"),
	root + "cache.New": func(l *look, call *ast.CallExpr, pkg string) {
		wrapMust(l, call, pkg)
		l.add(call.Args[0].Pos(), call.Args[0].Pos(), pkg+"Options{MaxBytes: ", -1)
		l.add(call.Args[0].End(), call.Args[0].End(), "}", -1)
	},
}

// call adapts a call to the new parameters of the called function.
func (l *look) call(call *ast.CallExpr) {
	fun := ast.Unparen(call.Fun)
	switch index := fun.(type) {
	case *ast.IndexExpr:
		fun = index.X
	case *ast.IndexListExpr:
		fun = index.X
	}
	pkg := ""
	id, ok := fun.(*ast.Ident)
	if selector, is := fun.(*ast.SelectorExpr); is {
		id, ok, pkg = selector.Sel, true, l.text(selector.X)+"."
	}
	if !ok {
		return
	}
	change := l.changeOf(l.info.Uses[id])
	if change == nil {
		return
	}
	l.called[id] = true
	if pkg == "" && (l.denotesOther(id, "Must") || l.denotesOther(id, "Options")) {
		l.leave(id.Pos(), id.Name+" takes Options and returns an error now, but the file uses these names for something else")
		return
	}
	change(l, call, pkg)
}

// changeOf returns the function that adapts calls of object, or nil if its calls do not change. If
// object is a New that returns an error, its calls are already adapted, because the old New
// returned no error.
func (l *look) changeOf(object types.Object) func(*look, *ast.CallExpr, string) {
	fn, ok := object.(*types.Func)
	if !ok || strings.HasPrefix(fn.Name(), "New") && fn.Signature().Results().Len() != 1 {
		return nil
	}
	return calls[l.key(fn)]
}

// wrapMust wraps a call in Must, because the called function now returns an error.
func wrapMust(l *look, call *ast.CallExpr, pkg string) {
	l.add(call.Pos(), call.Pos(), pkg+"Must(", 0)
	l.add(call.End(), call.End(), ")", 1)
}

// withOptions wraps a call in Must, and adds an Options argument.
func withOptions(l *look, call *ast.CallExpr, pkg string) {
	wrapMust(l, call, pkg)
	text := pkg + "Options{}"
	if len(call.Args) > 0 {
		text = ", " + text
	}
	l.add(call.Rparen, call.Rparen, text, 0)
}

// intoOptions returns a function that moves the first argument of a call into a field of the second
// argument, the options. The call is left to the user if the options are not a literal.
func intoOptions(field string) func(*look, *ast.CallExpr, string) {
	return func(l *look, call *ast.CallExpr, _ string) {
		options, ok := ast.Unparen(call.Args[len(call.Args)-1]).(*ast.CompositeLit)
		if len(call.Args) != 2 || !ok || len(options.Elts) > 0 && !keyed(options) || l.changes(call.Args[0]) {
			l.leave(call.Pos(), "the first argument is the field "+field+" of the options now")
			return
		}
		l.replace(call.Args[0].Pos(), options.Pos(), "")
		text := field + ": " + l.text(call.Args[0])
		if len(options.Elts) > 0 {
			text += ", "
		}
		l.add(options.Lbrace+1, options.Lbrace+1, text, 0)
	}
}

// keyed reports whether a struct literal names its fields.
func keyed(lit *ast.CompositeLit) bool {
	_, ok := lit.Elts[0].(*ast.KeyValueExpr)
	return ok
}

// changes reports whether an expression contains a name of Coppice, so that its source text may
// change.
func (l *look) changes(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && l.key(l.info.Uses[id]) != ""
		return !found
	})
	return found
}

// options adapts those fields in an options literal whose types changed.
func (l *look) options(lit *ast.CompositeLit) {
	if len(lit.Elts) == 0 {
		return
	}
	if s, ok := l.info.TypeOf(lit).Underlying().(*types.Struct); ok && !keyed(lit) {
		for f := range s.Fields() {
			if isSmallPages(l.key(f)) {
				l.leave(lit.Pos(), "SmallPages is HugePages now, with HugePagesOff for true; name the fields")
			}
		}
		return
	}
	for _, e := range lit.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		id, ok := kv.Key.(*ast.Ident)
		if !ok || !isSmallPages(l.key(l.info.Uses[id])) {
			continue
		}
		pkg, ok := l.qualifier(lit.Type, l.info.Uses[id].Pkg())
		if v := l.info.Types[kv.Value].Value; v != nil && ok {
			l.called[id] = true
			mode := "HugePagesAuto"
			if v.String() == "true" {
				mode = "HugePagesOff"
			}
			l.replace(kv.Pos(), kv.End(), "HugePages: "+pkg+mode)
		}
	}
}

// qualifier returns the string before the name of a type in pkg, such as "btree.". Other names of
// the package need the same qualifier. The result is false if the source omits the type, or names
// it by an alias in another package.
func (l *look) qualifier(typ ast.Expr, pkg *types.Package) (string, bool) {
	switch typ := typ.(type) {
	case *ast.SelectorExpr:
		object := l.info.Uses[typ.Sel]
		return l.text(typ.X) + ".", object != nil && object.Pkg() == pkg
	case *ast.Ident:
		object := l.info.Uses[typ]
		return "", object != nil && object.Pkg() == pkg
	}
	return "", false
}

// smallPages lists the fields that are now called HugePages and have a different type.
var smallPages = []string{root + "hashmap.Options.SmallPages", root + "btree.Options.SmallPages"}

func isSmallPages(key string) bool { return slices.Contains(smallPages, key) }

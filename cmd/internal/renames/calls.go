package renames

import (
	"go/ast"
	"strings"
)

// calls are the functions whose calls want other arguments.
var calls = map[string]func(*look, *ast.CallExpr, string){
	root + "hashmap.New":         withOptions,
	root + "hashmap.NewSharded":  withOptions,
	root + "btree.New":           withOptions,
	root + "btree.NewFunc":       withOptions,
	root + "symbols.New":         withOptions,
	root + "hashmap.OpenSharded": intoOptions("Shards"),
	root + "cache.Open":          intoOptions("MaxBytes"),
	root + "cache.New": func(l *look, call *ast.CallExpr, pkg string) {
		must(l, call, pkg)
		l.add(call.Args[0].Pos(), call.Args[0].Pos(), pkg+"Options{MaxBytes: ", -1)
		l.add(call.Args[0].End(), call.Args[0].End(), "}", -1)
	},
}

// call changes the arguments of a call.
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
	if change := calls[l.key(l.info.Uses[id])]; change != nil {
		l.called[id] = true
		change(l, call, pkg)
	}
}

// must puts a call into that of Must, because it returns an error now.
func must(l *look, call *ast.CallExpr, pkg string) {
	l.add(call.Pos(), call.Pos(), pkg+"Must(", 0)
	l.add(call.End(), call.End(), ")", 1)
}

// withOptions adds the options that a call had not.
func withOptions(l *look, call *ast.CallExpr, pkg string) {
	must(l, call, pkg)
	text := pkg + "Options{}"
	if len(call.Args) > 0 {
		text = ", " + text
	}
	l.add(call.Rparen, call.Rparen, text, 0)
}

// intoOptions moves the first argument into a field of the options, the second one, if they are written there.
func intoOptions(field string) func(*look, *ast.CallExpr, string) {
	return func(l *look, call *ast.CallExpr, _ string) {
		options, ok := ast.Unparen(call.Args[len(call.Args)-1]).(*ast.CompositeLit)
		if len(call.Args) != 2 || !ok {
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

// options changes a field of options whose type changed.
func (l *look) options(lit *ast.CompositeLit) {
	pkg := ""
	if selector, ok := lit.Type.(*ast.SelectorExpr); ok {
		pkg = l.text(selector.X) + "."
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
		if v := l.info.Types[kv.Value].Value; v != nil {
			l.called[id] = true
			mode := "HugePagesAuto"
			if v.String() == "true" {
				mode = "HugePagesOff"
			}
			l.replace(kv.Pos(), kv.End(), "HugePages: "+pkg+mode)
		}
	}
}

func isSmallPages(key string) bool {
	return strings.HasPrefix(key, root) && strings.HasSuffix(key, ".Options.SmallPages")
}

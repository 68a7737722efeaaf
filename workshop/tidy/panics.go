package tidy

import (
	"go/ast"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// panicNames requires that a panic of the library starts with the function that a user called, such
// as "store.New: what", or the method, such as "store.Writer.Alloc: what" and "store.Store.New:
// what".
//
// A function that users cannot call panics with the name of a function that they can call. It
// receives the name as an argument: where + ": what", or "%s: what". If it is reachable from only
// one such function, it may contain the name of that function itself. A name that is passed on must
// also be correct.
//
// If package flat has a function of the same name, a function of its engine panics with that name.
// It may also panic with the name of a function in another package of the library that imports the
// engine.
func panicNames(t *Tree) (all []Complaint) {
	packages := libraryFunctions(t)
	above, passedOn := aboveEngine(t, packages), t.functionName()
	for folder, p := range packages {
		for _, fn := range p.functions {
			names := p.names(fn.FuncDecl, path.Base(folder))
			if folder == engine {
				names = packages[face].instead(names)
			}
			right := func(name string) bool {
				return slices.Contains(names, name) || folder == engine && above[name]
			}
			ast.Inspect(fn.FuncDecl, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				if name, ok := call.Fun.(*ast.Ident); ok && name.Name == "panic" && len(call.Args) == 1 {
					said, ok := text(call.Args[0])
					if who, _, _ := strings.Cut(said, ": "); ok && who != "%s" && !right(who) {
						all = append(all, t.complain(fn.file, call.Pos(), "panic %q does not name the function that a user called; %s", said, advice(fn.FuncDecl, names)))
					}
					return true
				}
				for _, arg := range call.Args {
					if said, ok := text(arg); ok && passedOn.MatchString(said) && !right(said) {
						all = append(all, t.complain(fn.file, arg.Pos(), "%q is not the function that a user called; %s", said, advice(fn.FuncDecl, names)))
					}
				}
				return true
			})
		}
	}
	return all
}

// functionName returns a pattern for the names that functions pass on for panics. It matches the
// names of functions in packages that users import.
func (t *Tree) functionName() *regexp.Regexp {
	var names []string
	for _, f := range t.Go {
		if name := path.Base(f.Package); t.forUsers(f.Package) && f.Package != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return regexp.MustCompile(`^(` + strings.Join(names, "|") + `)(\.[A-Z]\w*){1,2}$`)
}

// aboveEngine returns the names of the functions of packages that import the engine, except for the
// functions of the face.
func aboveEngine(t *Tree, packages map[string]*libraryPackage) map[string]bool {
	names := map[string]bool{}
	for _, f := range t.Go {
		p := packages[f.Package]
		if p == nil || f.Test || f.Package == face || !t.forUsers(f.Package) || !slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool {
			return strings.Trim(i.Path.Value, `"`) == ours+"/"+engine
		}) {
			continue
		}
		for _, fn := range p.functions {
			if public(fn.FuncDecl) {
				names[callName(fn.FuncDecl, path.Base(f.Package))] = true
			}
		}
	}
	return names
}

// advice returns the suggested form.
func advice(fn *ast.FuncDecl, names []string) string {
	if len(names) > 0 {
		return "start it with " + names[0] + " and a colon"
	}
	return fn.Name.Name + " serves several, so let it take the name from its caller: where + \": what\""
}

// A libraryPackage contains the functions of one package of the library, without tests.
type libraryPackage struct {
	functions []libraryFunction
	callers   map[string][]*ast.FuncDecl // by the name of what they mention
}

type libraryFunction struct {
	*ast.FuncDecl
	file *GoFile
}

func libraryFunctions(t *Tree) map[string]*libraryPackage {
	all := map[string]*libraryPackage{}
	t.functions(func(f *GoFile, fn *ast.FuncDecl) {
		if f.Test || !t.inProduct(f.Package) || fn.Body == nil {
			return
		}
		p := all[f.Package]
		if p == nil {
			p = &libraryPackage{callers: map[string][]*ast.FuncDecl{}}
			all[f.Package] = p
		}
		p.functions = append(p.functions, libraryFunction{fn, f})
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			if name, ok := n.(*ast.Ident); ok && !slices.Contains(p.callers[name.Name], fn) {
				p.callers[name.Name] = append(p.callers[name.Name], fn)
			}
			return true
		})
	})
	return all
}

// names returns the function names with which the message of a panic in fn may begin: the name of
// fn or, if users cannot call fn, the name of the only callable function from which fn is
// reachable, judged by names. If there are several such functions, it returns none.
func (p *libraryPackage) names(fn *ast.FuncDecl, pkg string) []string {
	entries := map[string]bool{}
	seen := map[*ast.FuncDecl]bool{}
	var climb func(fn *ast.FuncDecl)
	climb = func(fn *ast.FuncDecl) {
		if seen[fn] {
			return
		}
		seen[fn] = true
		if public(fn) {
			entries[callName(fn, pkg)] = true
			return
		}
		for _, caller := range p.callers[fn.Name.Name] {
			climb(caller)
		}
	}
	climb(fn)
	if len(entries) != 1 {
		return nil
	}
	return slices.Collect(maps.Keys(entries))
}

// instead replaces each name with that of the face, if the face has a function of that name.
func (p *libraryPackage) instead(names []string) []string {
	for i, name := range names {
		_, rest, _ := strings.Cut(name, ".")
		if p != nil && slices.ContainsFunc(p.functions, func(fn libraryFunction) bool {
			return public(fn.FuncDecl) && callName(fn.FuncDecl, face) == face+"."+rest
		}) {
			names[i] = face + "." + rest
		}
	}
	return names
}

// callName returns the name of an exported function in the form for panics.
func callName(fn *ast.FuncDecl, pkg string) string {
	if r := receiver(fn); r != "" {
		return pkg + "." + r + "." + fn.Name.Name
	}
	return pkg + "." + fn.Name.Name
}

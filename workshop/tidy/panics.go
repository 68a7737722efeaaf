package tidy

import (
	"go/ast"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// panicNames requires that the message of a panic in the library begins with the name of the
// function or method that the user called, such as "store.New: what", "store.Writer.Alloc: what" or
// "store.Store.New: what".
//
// A function that users cannot call panics with the name of a function that they can call. It
// receives the name as an argument: where + ": what", or "%s: what". If it is reachable from only
// one function that users can call, it may contain the name of that function itself. A name that is
// passed as an argument must also be correct.
//
// If package flat declares a function with the same name as a function in the package engine, the
// function in engine panics with the name of the flat function. It may also panic with the name of
// a function in another library package that imports the engine.
func panicNames(t *Tree) (all []Complaint) {
	packages := libraryFunctions(t)
	above, passedOn := aboveEngine(t, packages), t.functionName()
	for folder, p := range packages {
		for _, fn := range p.functions {
			names := p.names(fn.FuncDecl, path.Base(folder))
			if folder == engine {
				names = packages[face].withFace(names)
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

// functionName returns a pattern for the names that functions pass to other functions for use in
// panics. It matches the qualified names of functions in packages that users import.
func (t *Tree) functionName() *regexp.Regexp {
	var names []string
	for _, f := range t.Go {
		if name := path.Base(f.Package); t.forUsers(f.Package) && f.Package != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return regexp.MustCompile(`^(` + strings.Join(names, "|") + `)(\.[A-Z]\w*){1,2}$`)
}

// aboveEngine returns the names of all functions in packages that import the package engine, except
// for the package face.
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

// advice returns the suggestion with which a complaint about a panic in fn ends.
func advice(fn *ast.FuncDecl, names []string) string {
	if len(names) > 0 {
		return "start it with " + names[0] + " and a colon"
	}
	return fn.Name.Name + " serves several, so let it take the name from its caller: where + \": what\""
}

// A libraryPackage contains the functions of one package of the library, without tests.
type libraryPackage struct {
	functions []libraryFunction
	callers   map[string][]*ast.FuncDecl // functions that mention a name, by the name
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

// names returns the function name with which the message of a panic in fn may begin. If users can
// call fn, this is the name of fn. Otherwise it is the name of the function that users can call and
// from which fn is reachable; names returns nil unless there is exactly one such function. Calls
// are resolved by name.
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

// withFace replaces the package in each name with face, if the package face has a function with the
// same name.
func (p *libraryPackage) withFace(names []string) []string {
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

// callName returns the name of an exported function in the format that panic messages use.
func callName(fn *ast.FuncDecl, pkg string) string {
	if r := receiver(fn); r != "" {
		return pkg + "." + r + "." + fn.Name.Name
	}
	return pkg + "." + fn.Name.Name
}

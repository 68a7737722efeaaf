package own

import (
	"fmt"
	"go/ast"
	"slices"

	"golang.org/x/tools/go/packages"
)

// AtHand returns the names of the structs that every caller of a function could pass to the
// function. If the function cannot get an additional parameter, AtHand returns nil and the reason.
func AtHand(pkg *packages.Package, decl *ast.FuncDecl, module Reach) (owners []string, why string) {
	c := callersOf(pkg, module)
	if why := c.refuseThread(decl); why != "" {
		return nil, why
	}
	first := true
	for _, call := range c.callsOf(decl) {
		if call.Function() == decl {
			continue
		}
		here := c.pointers(call)
		if len(here) == 0 {
			return nil, c.withoutOwner(decl, call)
		}
		if first {
			owners = here
		}
		owners = slices.DeleteFunc(owners, func(name string) bool { return !slices.Contains(here, name) })
		first = false
	}
	if len(owners) == 0 {
		return nil, fmt.Sprintf("the callers of %s have no struct in common that could own a slab: %s", decl.Name.Name, c.placesOf(decl))
	}
	return owners, ""
}

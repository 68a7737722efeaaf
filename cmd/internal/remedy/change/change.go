// Package change generates the edits that carry out a proposal of coppice find. It writes nothing
// to disk: the edits are applied to a copy, proven, and returned as a patch.
//
// Each remedy that is more than advice has a maker. A maker changes the sites that it can change
// safely, and gives a reason for each site that it leaves unchanged. The reasons are part of the
// result: without them, a user could not tell whether a change would be dangerous or is merely not
// supported. The edits of several proposals can be combined, because all apply to the original
// source.
package change

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/rewrite/edits"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// A Request is the input of a maker. The facts in its sites match the current source.
type Request struct {
	Package  *packages.Package // package with the sites, loaded in rewrite.Mode
	Make     Maker             // maker of the remedy
	Guard    Guard             // guard of the remedy; nil if it has none
	Sites    []*site.Site
	Language string // Go version in which the module is written, such as go1.21
	Library  bool   // the module requires Coppice; otherwise the code that a change needs is written into the package
	// Around returns the facts about the code that can use the package. It loads that code only
	// once.
	Around func() (*World, error)

	declarations map[types.Object]*ast.FuncDecl // by function of the package; filled in on demand
}

// A Change contains the edits of a maker, and their description.
type Change struct {
	Edits edits.Set
	Done  []string // changed places, such as parse.go:325: &Node{...} comes from p.nodes
	Left  []string // other places, such as parse.go:12: the owner may be nil
	// About and Undo are texts of a few lines for the maintainer. About describes the change and
	// why it is safe. Undo describes how to undo the change.
	About string
	Undo  string
	Price []string // what the change assumes about unknown code in other modules

	changed []*site.Site
	stays   map[*site.Site]string // reasons that sites are left unchanged
}

// Refused is the error of a maker that changes nothing. It contains the reason.
type Refused struct{ Why string }

// Error returns the reason.
func (r Refused) Error() string { return r.Why }

// Refusef returns a Refused error with a formatted reason.
func Refusef(format string, args ...any) error { return Refused{fmt.Sprintf(format, args...)} }

// A Maker makes the change for the sites of a request, using only their package.
type Maker func(*Request) (*Change, error)

// A Guard restricts a request to the sites that may be changed without knowledge of the program. It
// also returns a change with the reasons that the other sites are left unchanged. If no site
// remains, it returns a Refused error with the reason.
type Guard func(Request) (Request, Change, error)

// Make makes the change for the sites that may be changed without knowledge of the program. If
// there is no change, it returns a Refused error with the reason.
//
// After the change, every package of the module that compiled before still compiles, in every
// build. So Make repeats the edit in all builds that include the file, and refuses the change if
// the edits would differ. They may differ because a name can be a constant in one build and a
// function in another.
func Make(ctx context.Context, r Request) (*Change, error) {
	c, err := r.everyBuild(ctx)
	if err != nil {
		return nil, err
	}
	around, err := r.Around()
	if err != nil {
		return nil, err
	}
	files, err := c.apply()
	if err != nil {
		return nil, err
	}
	if r.imports(files) {
		c.Price = append(slices.Clip(c.Price), assumedOfOrder)
	}
	return c, around.Check(ctx, files, c.Edits.Unused())
}

// assumedOfOrder is part of the price of each change that adds or removes imports, because imports
// determine the order in which packages are initialized.
const assumedOfOrder = "assumed of other modules: none needs its packages to be initialized before or after this one without an import; the imports of this one change"

// imports reports whether the new contents of files change the package's imports.
func (r *Request) imports(files map[string][]byte) bool {
	before, after := map[string]bool{}, map[string]bool{}
	note := func(file *ast.File, all ...map[string]bool) {
		for _, spec := range file.Imports {
			for _, paths := range all {
				paths[spec.Path.Value] = true
			}
		}
	}
	for _, file := range r.Package.Syntax {
		if _, changed := files[r.Package.Fset.File(file.FileStart).Name()]; changed {
			note(file, before)
		} else {
			note(file, before, after)
		}
	}
	for name, data := range files {
		if file, _ := parser.ParseFile(token.NewFileSet(), name, data, parser.ImportsOnly|parser.SkipObjectResolution); file != nil {
			note(file, after)
		}
	}
	return !maps.Equal(before, after)
}

// apply returns the new contents of the files. If the edits of the change, or of its witness form,
// cannot be made together, it returns a Refused error with the reason.
func (c *Change) apply() (files map[string][]byte, err error) {
	if _, err = c.Edits.Witness().Apply(); err == nil {
		files, err = c.Edits.Apply()
	}
	var unfit edits.Unfit
	if errors.As(err, &unfit) {
		return nil, Refused{unfit.Error()}
	}
	return files, err
}

// makeCurrent makes the change in the current build only.
func (r Request) makeCurrent() (*Change, error) {
	var left Change
	if r.Guard != nil {
		var err error
		if r, left, err = r.Guard(r); err != nil {
			return nil, err
		}
	}
	c, err := r.Alone()
	if err != nil {
		return nil, err
	}
	c.Left = append(c.Left, left.Left...)
	return c, nil
}

// Alone makes the change without looking at other packages of the module.
func (r Request) Alone() (*Change, error) {
	if len(r.Package.Errors) > 0 {
		return nil, Refusef("%s does not compile: %v", r.Package.PkgPath, r.Package.Errors[0])
	}
	c, err := r.Make(&r)
	if err != nil {
		return nil, err
	}
	if c.Edits.Empty() {
		return nil, Refused{cmp.Or(c.reasons(), "nothing can be changed safely")}
	}
	return c, nil
}

// reasons lists the reasons why sites are left unchanged. It lists each reason once, with its first
// position.
func (c *Change) reasons() string {
	const most = 3
	var all, seen []string
	for _, left := range c.Left {
		_, why, _ := strings.Cut(left, ": ") // the place comes first
		if slices.Contains(seen, why) {
			continue
		}
		if seen = append(seen, why); len(seen) <= most {
			all = append(all, left)
		}
	}
	if more := len(seen) - most; more > 0 {
		all = append(all, fmt.Sprintf("other reasons: %d", more))
	}
	return strings.Join(all, "; ")
}

// Leave records the reason that a site is left unchanged.
func (c *Change) Leave(s *site.Site, why string) {
	c.Left = append(c.Left, placed(s, why))
	if c.stays == nil {
		c.stays = map[*site.Site]string{}
	}
	c.stays[s] = why
}

// Did records what was done at a site.
func (c *Change) Did(s *site.Site, what string) {
	c.Done = append(c.Done, placed(s, what))
	c.changed = append(c.changed, s)
}

// Changes reports whether the change includes a site.
func (c *Change) Changes(s *site.Site) bool { return slices.Contains(c.changed, s) }

// placed returns a message about a site, such as "parse.go:12: the owner may be nil".
func placed(s *site.Site, what string) string {
	return fmt.Sprintf("%s:%d: %s", filepath.Base(s.File), s.Line, what)
}

var errMoved = errors.New("the source has changed since it was analyzed")

// Expression returns the path to a site's expression. The path begins with the file and ends with
// the expression. It returns an error if the source no longer contains the expression.
func (r *Request) Expression(s *site.Site) (path []ast.Node, err error) {
	at := s.Facts.Expr
	if at == nil {
		return nil, Refusef("%s:%d: the source does not show which expression allocates", filepath.Base(s.File), s.Line)
	}
	for _, file := range r.Package.Syntax {
		f := r.Package.Fset.File(file.FileStart)
		if f.Name() != at.File {
			continue
		}
		if at.To > f.Size() {
			return nil, errMoved
		}
		from, to := f.Pos(at.From), f.Pos(at.To)
		var stack []ast.Node
		ast.PreorderStack(file, nil, func(n ast.Node, above []ast.Node) bool {
			if stack != nil || n.End() < from || n.Pos() > to {
				return false
			}
			if n.Pos() == from && n.End() == to {
				stack = append(slices.Clone(above), n)
				return false
			}
			return true
		})
		if stack == nil {
			return nil, errMoved
		}
		return stack, nil
	}
	return nil, errMoved
}

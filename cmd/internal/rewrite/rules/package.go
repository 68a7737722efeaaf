package rules

import (
	"fmt"
	"go/ast"
	"go/types"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/rewrite"
)

// GeneratedFile is the name of the file that declares the allocators.
const GeneratedFile = "zz_coppice.go"

// A Result contains the new contents of files by path, and the results of the rules.
type Result struct {
	Files  map[string][]byte
	Counts []Count // for each rule
}

// Package applies the rules for a package. It returns an error if one of the rules changes nothing,
// or if a change would break the package.
func Package(pkg *packages.Package, rules []Rule, form Form) (Result, error) {
	if err := rewrite.Compiles(pkg); err != nil {
		return Result{}, err
	}
	p := &pass{Code: rewrite.CodeOf(pkg), form: form, owners: map[string]*owner{}}
	for i := range rules {
		if r := &rules[i]; r.Package == pkg.PkgPath && r.in(form) {
			p.counts = append(p.counts, Count{Rule: r, Left: map[string][]string{}})
		}
	}
	if len(p.counts) == 0 {
		return Result{}, fmt.Errorf("no rule for package %s has the form %s", pkg.PkgPath, form)
	}
	if err := p.check(); err != nil {
		return Result{}, err
	}
	p.Sites(p.visit)
	p.Variables(p.visit) // last: the text inserted after a variable's value must follow the text that a site in the value inserts there
	for _, c := range p.counts {
		if c.Done == 0 {
			return Result{}, fmt.Errorf("%s changes nothing; correct or remove it%s", c.Rule, c.reasons())
		}
	}
	if err := p.wire(); err != nil {
		return Result{}, err
	}
	return p.result()
}

// check returns the first error in the rules. It is called before any site is visited.
func (p *pass) check() error {
	if err := rewrite.NoCgo(p.Package); err != nil {
		return err
	}
	for _, c := range p.counts {
		if first := p.counts[0].Rule; c.Rule.Size != first.Size || c.Rule.First != first.First {
			return fmt.Errorf("%s has another size or first than the %s; all rules of a package must have the same", c.Rule, first)
		}
		if err := p.checkFunctions(c.Rule); err != nil {
			return err
		}
		if _, err := p.ownerOf(c.Rule.Owner); err != nil {
			return fmt.Errorf("%s: %w", c.Rule, err)
		}
	}
	return nil
}

// checkFunctions returns an error if a function that a rule names does not exist.
func (p *pass) checkFunctions(r *Rule) error {
	var names []string
	for _, file := range p.Syntax {
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				names = append(names, fn.Name.Name)
			}
		}
	}
	for _, name := range slices.Concat(r.Except, r.Only) {
		if !slices.Contains(names, name) {
			return fmt.Errorf("%s names the function %s, which %s does not have", r, name, p.PkgPath)
		}
	}
	return nil
}

// result applies the edits and adds the generated file.
func (p *pass) result() (Result, error) {
	r := Result{Counts: p.counts}
	generated, err := p.generate()
	if err != nil {
		return r, err
	}
	if err := p.edits.Create(filepath.Join(filepath.Dir(p.GoFiles[0]), GeneratedFile), generated); err != nil {
		return r, err
	}
	r.Files, err = p.edits.Apply()
	return r, err
}

// visit changes a site if a rule selects it. If the site cannot be changed, visit records the
// reason.
func (p *pass) visit(s rewrite.Site) {
	name := types.TypeString(s.Type, p.Short)
	i := slices.IndexFunc(p.counts, func(c Count) bool { return c.Rule.about(s.Kind, name) })
	if i < 0 {
		return
	}
	c := &p.counts[i]
	why := p.refusal(s, c.Rule)
	if why == "" {
		var where string
		if where, why = p.place(s, c.Rule); why == "" {
			why = p.change(s, c.Rule, where)
		}
	}
	if why == "" {
		c.Done++
		return
	}
	at := p.Fset.PositionFor(s.Node.Pos(), false)
	c.Left[why] = append(c.Left[why], fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line))
}

// refusal returns the reason why a site must be left unchanged, or "" if there is none. It does not
// check the owner.
func (p *pass) refusal(s rewrite.Site, r *Rule) string {
	if why := p.RefusePlace(s); why != "" {
		return why
	}
	if name := s.Function().Name.Name; slices.Contains(r.Except, name) || len(r.Only) > 0 && !slices.Contains(r.Only, name) {
		return "in a function that the rule leaves out"
	}
	if s.Kind == rewrite.Text {
		return rewrite.First(s, p.RefuseFunction, p.RefuseText)
	}
	if why := rewrite.First(s, p.RefuseFunction, p.RefuseType); why != "" {
		return why
	}
	if r.Owner == "" && p.form != Arena && rewrite.LeadsOn(s.Type) {
		return "the package would own values that lead on to others, and a chunk would tie each result to the next"
	}
	return rewrite.First(s, p.RefusePinned, p.RefuseForm)
}

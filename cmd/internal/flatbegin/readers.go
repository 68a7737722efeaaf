package flatbegin

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// A reader describes a function that reads or writes fields of the trees, or that creates nodes.
type reader struct {
	name   string // name in the report: package.Type.Method
	symbol string // name in profiles
	decl   *ast.FuncDecl
	pkg    *packages.Package
	reads  map[*field]int
	writes []token.Pos // positions of code that writes fields or creates nodes
	share  float64     // share of the profile's samples, from 0 to 1
	other  int         // 0 for functions of the main module, which sort first; 1 for the others
}

// count returns the number of positions at which the function reads a field.
func (r *reader) count() (n int) {
	for _, reads := range r.reads {
		n += reads
	}
	return n
}

// readers finds the functions that read or write fields. They are sorted by their share of the
// profile; functions of the main module precede other functions with the same share, and functions
// with more reads precede functions with fewer reads.
func (p *plan) readers() []*reader {
	var all []*reader
	for _, path := range slices.Sorted(maps.Keys(p.loaded)) {
		pkg := p.loaded[path]
		if !p.isOwn(path) {
			continue
		}
		for _, file := range pkg.Syntax {
			for _, d := range file.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
					if r := p.readerOf(pkg, fn); len(r.reads)+len(r.writes) > 0 {
						all = append(all, r)
					}
				}
			}
		}
	}
	if p.profile != nil {
		p.weigh(all)
	}
	slices.SortStableFunc(all, func(a, b *reader) int {
		return cmp.Or(cmp.Compare(b.share, a.share), cmp.Compare(a.other, b.other), cmp.Compare(b.count(), a.count()), cmp.Compare(a.name, b.name))
	})
	return all
}

// readerOf returns the reader for one function. If the function does not use the trees, the reader
// contains neither reads nor writes.
func (p *plan) readerOf(pkg *packages.Package, fn *ast.FuncDecl) *reader {
	r := &reader{decl: fn, pkg: pkg, reads: map[*field]int{}}
	r.name, r.symbol = names(pkg, fn)
	if pkg.Module == nil || !pkg.Module.Main {
		r.other = 1
	}
	written := map[ast.Expr]bool{}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				written[ast.Unparen(left)] = true
			}
		case *ast.CompositeLit:
			if of := recordOf(pkg.TypesInfo.TypeOf(n)); of != nil && p.recordOf(of) != nil {
				r.writes = append(r.writes, n.Pos())
			}
		case *ast.IncDecStmt:
			written[ast.Unparen(n.X)] = true
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				written[ast.Unparen(n.X)] = true
			}
		case *ast.SelectorExpr:
			f := p.fieldOf(pkg.TypesInfo, n)
			switch {
			case f == nil:
			case written[n]:
				r.writes = append(r.writes, n.Pos())
			default:
				r.reads[f]++
			}
		}
		return true
	})
	return r
}

// fieldOf returns the field that an expression selects, or that a getter in the expression returns.
// It returns nil if the field is not in the schema.
func (p *plan) fieldOf(info *types.Info, sel *ast.SelectorExpr) *field {
	s := info.Selections[sel]
	if s == nil {
		return nil
	}
	of := recordOf(s.Recv())
	if of == nil {
		return nil
	}
	r := p.recordOf(of)
	if r == nil || r.model == nil {
		return nil
	}
	for _, f := range r.fields {
		switch {
		case f.object == nil:
		case s.Kind() == types.FieldVal && s.Obj() == f.object:
			return f
		case s.Kind() == types.MethodVal && p.getters[f.object] != nil && s.Obj() == p.getters[f.object]:
			return f
		}
	}
	return nil
}

// recordOf returns the object of a declared type, or of the declared type to which a pointer
// points. It returns nil for other types.
func recordOf(t types.Type) *types.TypeName {
	if pointer, ok := types.Unalias(t).(*types.Pointer); ok {
		t = pointer.Elem()
	}
	if named, ok := types.Unalias(t).(*types.Named); ok {
		return named.Obj()
	}
	return nil
}

// names returns the short name of a function for the report, and the symbol by which profiles refer
// to it.
func names(pkg *packages.Package, fn *ast.FuncDecl) (short, symbol string) {
	path := pkg.PkgPath
	if at := strings.LastIndexByte(path, '/') + 1; strings.Contains(path[at:], ".") {
		path = path[:at] + strings.ReplaceAll(path[at:], ".", "%2e")
	}
	if pkg.Name == "main" {
		path = "main"
	}
	if fn.Recv == nil {
		return pkg.Name + "." + fn.Name.Name, path + "." + fn.Name.Name
	}
	t := fn.Recv.List[0].Type
	star, isPointer := t.(*ast.StarExpr)
	if isPointer {
		t = star.X
	}
	name := types.ExprString(t)
	if at := strings.IndexByte(name, '['); at >= 0 {
		name = name[:at]
	}
	short = pkg.Name + "." + name + "." + fn.Name.Name
	if isPointer {
		name = "(*" + name + ")"
	}
	return short, path + "." + name + "." + fn.Name.Name
}

// inner matches the suffix of a symbol in a profile that stands for a function literal within a
// function, or for type arguments.
var inner = regexp.MustCompile(`(\[\.\.\.\])|((\.func\d+|\.gowrap\d+|` + site.LoopSuffix + `|\.\d+)+$)`)

// readProfile reads the profile that the options name. It returns nil if they do not name a
// profile.
func (o *Options) readProfile() (*profile.Profile, error) {
	if o.Profile == "" {
		return nil, nil
	}
	file, err := os.Open(o.resolve(o.Profile))
	if err != nil {
		return nil, fmt.Errorf("invalid -profile: %w", err)
	}
	defer file.Close()
	prof, err := profile.Parse(file)
	if err != nil {
		return nil, fmt.Errorf("invalid -profile %s: must be a profile that go test -cpuprofile writes: %w", o.Profile, err)
	}
	return prof, nil
}

// weigh computes the share of each reader in the profile. It attributes each sample to the
// innermost reader on the stack of the sample.
func (p *plan) weigh(all []*reader) {
	by := map[string]*reader{}
	for _, r := range all {
		by[r.symbol] = r
	}
	var total float64
	for _, s := range p.profile.Sample {
		v := float64(s.Value[len(s.Value)-1])
		total += v
		if r := innermost(s, by); r != nil {
			r.share += v
		}
	}
	for _, r := range all {
		if total > 0 {
			r.share /= total
		}
	}
}

// innermost returns the innermost reader on the stack of a sample, or nil.
func innermost(s *profile.Sample, by map[string]*reader) *reader {
	for _, at := range s.Location {
		for _, line := range at.Line {
			if line.Function == nil {
				continue
			}
			if r := by[inner.ReplaceAllString(line.Function.Name, "")]; r != nil {
				return r
			}
		}
	}
	return nil
}

// formatPos returns a short description of a position, for the report.
func formatPos(pkg *packages.Package, pos token.Pos) string {
	at := pkg.Fset.PositionFor(pos, false)
	return fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line)
}

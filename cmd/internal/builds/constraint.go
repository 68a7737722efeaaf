package builds

import (
	"go/build/constraint"
	"path/filepath"
	"slices"
	"strings"
)

// Constraint returns the build constraint for a new file that must be in all builds that have at
// least one other file of the package, apart from test files: the text after //go:build, or "" if
// every build has such a file. It ignores files for whose absolute names the function except
// returns true.
func (s *Set) Constraint(pkgPath string, except func(name string) bool) string {
	folder := s.module.folders[pkgPath]
	if folder == nil {
		return ""
	}
	var any constraint.Expr
	var seen []string
	for _, file := range folder.files {
		if strings.HasSuffix(file.name, "_test.go") || !s.rules.possible(file.class) || except(file.name) {
			continue
		}
		expr := s.rules.constraintOf(file.class)
		switch {
		case expr == nil:
			return ""
		case slices.Contains(seen, expr.String()):
		case any == nil:
			any = expr
		default:
			any = &constraint.OrExpr{X: any, Y: expr}
		}
		seen = append(seen, expr.String())
	}
	if any == nil {
		return ""
	}
	return any.String()
}

// ConstraintOf returns the build constraint of a file of a package, including the constraints from
// its name and its imports: the text after //go:build, or "" if every build has the file. known is
// false if the package has no such file.
func (s *Set) ConstraintOf(pkgPath, name string) (text string, known bool) {
	folder := s.module.folders[pkgPath]
	if folder == nil {
		return "", false
	}
	i := slices.IndexFunc(folder.files, func(f *source) bool { return filepath.Base(f.name) == filepath.Base(name) })
	if i < 0 {
		return "", false
	}
	if expr := s.rules.constraintOf(folder.files[i].class); expr != nil {
		text = expr.String()
	}
	return text, true
}

// constraintOf returns the build constraint of a class, including the constraints from the file
// name and the imports. It returns nil if every build includes the files of the class.
func (r *rules) constraintOf(file *class) (all constraint.Expr) {
	exprs := constraints(file.header)
	for _, tag := range r.tagsOfName(file.name) {
		exprs = append(exprs, &constraint.TagExpr{Tag: tag})
	}
	if file.cgo {
		exprs = append(exprs, &constraint.TagExpr{Tag: "cgo"})
	}
	for _, expr := range exprs {
		if all == nil {
			all = expr
		} else {
			all = &constraint.AndExpr{X: all, Y: expr}
		}
	}
	return all
}

// tagsOfName returns the system and the processor that the name of a file requires.
func (r *rules) tagsOfName(name string) []string {
	parts := strings.Split(strings.TrimSuffix(name, ".go"), "_")[1:]
	if n := len(parts); n > 1 && slices.ContainsFunc(r.platforms, func(p platform) bool { return p.GOOS == parts[n-2] }) &&
		slices.ContainsFunc(r.platforms, func(p platform) bool { return p.GOARCH == parts[n-1] }) {
		return parts[n-2:]
	} else if n > 0 && r.platformName(parts[n-1]) {
		return parts[n-1:]
	}
	return nil
}

package builds

import (
	"go/build/constraint"
	"path/filepath"
	"slices"
	"strings"
)

// Constraint returns the build constraint for a new file of a package. With this constraint, the
// new file is in every build that includes any other file of the package, except for test files.
// The result is the text after //go:build, or "" if every build includes such a file. Constraint
// ignores a file if except returns true for its absolute name.
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

// ConstraintOf returns the build constraint of a file of a package, including the constraints that
// follow from its name and its imports. The result is the text after //go:build, or "" if every
// build includes the file. known is false if the package has no such file.
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

// constraintOf returns the build constraint of a class, including the constraints that follow from
// the file name and the imports. It returns nil if every build includes the files of the class.
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

// tagsOfName returns the tags for the system and the processor that a file name implies.
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

package finding

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"

	"honnef.co/go/tools/analysis/lint"
)

// linter is the name that stands for all rules of Coppice in the comments of other tools. For
// golangci-lint, it is the name of a linter. For staticcheck, it is the part of a check's name
// before the slash.
const linter = "coppice"

// lines contains the first and the last line of a comment, and the column in which it begins.
type lines struct{ first, last, column int }

// nolint reports whether a comment suppresses a rule on a line, according to the conventions of
// golangci-lint. The comment applies to its own lines, and to a syntax node that begins on the next
// line in the same column. Therefore, it applies to a statement on the same line or the line below,
// to a function below it and, above the package clause, to the whole file.
//
//	//nolint                              every linter
//	//nolint:all                          the same
//	//nolint:errcheck,coppice // reason   all rules of Coppice
//	//nolint:stalevalue                   one rule
func nolint(fset *token.FileSet, file *ast.File, line int, rule string) bool {
	var near []lines
	for _, group := range file.Comments {
		if !slices.ContainsFunc(group.List, func(c *ast.Comment) bool { return nolintNames(c.Text, rule) }) {
			continue
		}
		from := fset.Position(group.Pos())
		at := lines{from.Line, fset.Position(group.End()).Line, from.Column}
		if at.first <= line && line <= at.last {
			return true
		}
		if at.last < line {
			near = append(near, at)
		}
	}
	return len(near) > 0 && belowOne(fset, file, line, near)
}

// belowOne reports whether a line belongs to a syntax node that begins directly below one of the
// comments, in the same column.
func belowOne(fset *token.FileSet, file *ast.File, line int, comments []lines) (found bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil || found {
			return false
		}
		start := fset.Position(n.Pos())
		if start.Line <= line && line <= fset.Position(n.End()).Line {
			found = slices.ContainsFunc(comments, func(c lines) bool { return c.last == start.Line-1 && c.column == start.Column })
		}
		return true
	})
	return found
}

// nolintNames reports whether a comment is a nolint directive that applies to a rule.
func nolintNames(text, rule string) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(text, "/ "), "nolint")
	if !ok || !strings.HasPrefix(text, "//") {
		return false
	}
	list, ok := strings.CutPrefix(rest, ":")
	if !ok {
		return rest == "" || rest[0] == ' ' // every linter, with an optional reason
	}
	list, _, _ = strings.Cut(list, "//") // the rest is the reason
	for name := range strings.SplitSeq(list, ",") {
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "all", linter, rule:
			return true
		}
	}
	return false
}

// lintIgnored reports whether a comment suppresses a rule on a line, according to the conventions
// of staticcheck. A lint:ignore comment applies to the line of its statement or declaration, and a
// lint:file-ignore comment to the whole file. The names of checks may contain wildcards. Without a
// reason, the comment has no effect.
//
//	//lint:ignore coppice/stalevalue,SA1019 reason
//	//lint:file-ignore coppice/* reason
func lintIgnored(fset *token.FileSet, file *ast.File, line int, rule string) bool {
	isDirective := func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//lint:") }
	if !slices.ContainsFunc(file.Comments, func(g *ast.CommentGroup) bool { return slices.ContainsFunc(g.List, isDirective) }) {
		return false
	}
	for _, d := range lint.ParseDirectives([]*ast.File{file}, fset) {
		if len(d.Arguments) < 2 || !checksMatch(d.Arguments[0], rule) {
			continue
		}
		if d.Command == "file-ignore" || d.Command == "ignore" && fset.Position(d.Node.Pos()).Line == line {
			return true
		}
	}
	return false
}

// checksMatch reports whether a comma-separated list of check names contains a pattern that matches
// a rule.
func checksMatch(list, rule string) bool {
	for name := range strings.SplitSeq(strings.ToLower(list), ",") {
		if ok, err := path.Match(name, linter+"/"+rule); ok && err == nil {
			return true
		}
	}
	return false
}

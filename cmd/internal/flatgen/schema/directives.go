package schema

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"strconv"
	"strings"
)

// directives holds the values of the directives in a schema. A directive is a comment of the form
// //flat:...
type directives struct {
	sums    map[types.Object]bool
	root    string
	rootPos token.Pos
	share   bool
	version int
}

// readDirectives reads the directives above interfaces, and then those that may be in any comment.
func (r *reader) readDirectives() {
	r.sums = map[types.Object]bool{}
	above := map[*ast.Comment]bool{} // comments that readSums has read
	for _, f := range r.pkg.Syntax {
		r.readSums(f, above)
	}
	for _, f := range r.pkg.Syntax {
		for _, group := range f.Comments {
			for _, c := range group.List {
				if text, is := strings.CutPrefix(c.Text, "//flat:"); is && !above[c] {
					r.directive(c.Pos(), text)
				}
				if text, is := strings.CutPrefix(c.Text, "// flat:"); is && spaced.MatchString(text) {
					r.problem(c.Pos(), "// flat:%s has a space, which makes it a comment; write //flat:%s", text, text)
				}
			}
		}
	}
}

// readSums finds the types that are marked with //flat:sum.
func (r *reader) readSums(f *ast.File, above map[*ast.Comment]bool) {
	for _, d := range f.Decls {
		g, is := d.(*ast.GenDecl)
		if !is || g.Tok != token.TYPE {
			continue
		}
		for _, spec := range g.Specs {
			t := spec.(*ast.TypeSpec)
			for _, doc := range []*ast.CommentGroup{g.Doc, t.Doc} {
				if doc == nil || doc == g.Doc && g.Lparen.IsValid() {
					continue
				}
				for _, c := range doc.List {
					if strings.TrimSpace(c.Text) == "//flat:sum" {
						above[c] = true
						r.sums[r.pkg.TypesInfo.Defs[t.Name]] = true
					}
				}
			}
		}
	}
}

// readFieldDocs collects the comments of struct fields, both above the field and on the same line.
func (r *reader) readFieldDocs() {
	r.docs = map[token.Pos][]string{}
	for _, f := range r.pkg.Syntax {
		ast.Inspect(f, func(n ast.Node) bool {
			s, is := n.(*ast.StructType)
			if !is {
				return true
			}
			for _, field := range s.Fields.List {
				text := strings.TrimSpace(field.Doc.Text() + field.Comment.Text())
				if text == "" {
					continue
				}
				for _, name := range field.Names {
					r.docs[name.Pos()] = strings.Split(text, "\n")
				}
				if name, is := field.Type.(*ast.Ident); is && len(field.Names) == 0 {
					r.docs[name.Pos()] = strings.Split(text, "\n")
				}
			}
			return true
		})
	}
}

// spaced matches the text after "// flat:" in a comment that would be a directive without the
// space.
var spaced = regexp.MustCompile(`^(sum|share|root [\pL_]\w*|version \d+)$`)

// uses contains, for error messages, an example of each directive.
var uses = map[string]string{"sum": "//flat:sum above an interface", "root": "//flat:root NAME, the type of the root",
	"share": "//flat:share alone", "version": "//flat:version N, a number from 1 on"}

func (r *reader) directive(pos token.Pos, text string) {
	words := strings.Fields(text)
	argument := ""
	if len(words) == 2 {
		argument = words[1]
	}
	switch {
	case len(words) == 2 && words[0] == "root":
		if r.root != "" {
			r.problem(pos, "duplicate flat:root; a schema has one: remove the other")
		}
		r.root, r.rootPos = argument, pos
	case len(words) == 1 && words[0] == "share":
		r.share = true
	case len(words) == 2 && words[0] == "version":
		r.readVersion(pos, argument)
	case len(words) == 1 && words[0] == "sum":
		r.problem(pos, "flat:sum is not above an interface; put it in the comment of the interface's declaration")
	case len(words) > 0 && uses[words[0]] != "":
		r.problem(pos, "invalid flat:%s: must be %s", text, uses[words[0]])
	default:
		r.problem(pos, "unknown directive flat:%s; the directives are flat:sum, flat:root NAME, flat:share and flat:version N", text)
	}
}

func (r *reader) readVersion(pos token.Pos, argument string) {
	n, err := strconv.ParseUint(argument, 10, 31)
	switch {
	case err != nil || n == 0:
		r.problem(pos, "invalid flat:version %s: must be at least 1; count versions 1, 2, 3", argument)
	case r.version != 0:
		r.problem(pos, "duplicate flat:version; a schema has one: remove the other")
	}
	r.version = int(n)
}

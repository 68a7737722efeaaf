// Command goparser parses files of Go's standard library with go/parser. The problem is in
// ../spec.md.
package main

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/coppice-go/coppice/workloads/foreign/driver"
)

// passes is the number of times all files are parsed.
const passes = 3

// sources is the input, and the trees of all its files.
type sources struct {
	names []string
	texts [][]byte
	set   *token.FileSet
	trees []*ast.File
}

func main() { driver.Main("goparser", &sources{}) }

// Load reads 2^depth files, spread evenly over all files that are neither tests nor commands.
func (s *sources) Load(depth int) (int, error) {
	root, err := driver.GOROOT()
	if err != nil {
		return 0, err
	}
	src := filepath.Join(root, "src")
	var all []string
	err = filepath.WalkDir(src, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || path == filepath.Join(src, "cmd")):
			return fs.SkipDir
		case d.Type().IsRegular() && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			all = append(all, path)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	if len(all) == 0 {
		return 0, errors.New("there is no Go source in " + src)
	}
	count := min(1<<depth, len(all))
	for i := range count {
		name := all[i*len(all)/count]
		text, err := os.ReadFile(name)
		if err != nil {
			return 0, err
		}
		s.names, s.texts = append(s.names, name), append(s.texts, text)
	}
	return passes, nil
}

// Operate parses all files and keeps their trees.
func (s *sources) Operate() error {
	s.trees = nil
	s.set, s.trees = token.NewFileSet(), make([]*ast.File, 0, len(s.texts))
	for i, text := range s.texts {
		tree, err := parser.ParseFile(s.set, s.names[i], text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		s.trees = append(s.trees, tree)
	}
	return nil
}

// Sum traverses all trees.
func (s *sources) Sum() (uint64, error) {
	sum := driver.NewSum()
	for _, tree := range s.trees {
		start := tree.FileStart
		for _, group := range tree.Comments {
			for _, c := range group.List {
				sum.Number(int(c.Slash - start))
				sum.Text(c.Text)
			}
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			if n == nil {
				sum.Number(-1)
				return true
			}
			sum.Number(int(n.Pos() - start))
			sum.Number(int(n.End() - start))
			switch n := n.(type) {
			case *ast.Ident:
				sum.Text(n.Name)
			case *ast.BasicLit:
				sum.Number(int(n.Kind))
				sum.Text(n.Value)
			case *ast.BinaryExpr:
				sum.Number(int(n.Op))
			case *ast.UnaryExpr:
				sum.Number(int(n.Op))
			case *ast.AssignStmt:
				sum.Number(int(n.Tok))
			case *ast.GenDecl:
				sum.Number(int(n.Tok))
			case *ast.CallExpr:
				sum.Number(len(n.Args))
			}
			return true
		})
	}
	return uint64(sum), nil
}

// Command gqlparser parses a schema with github.com/vektah/gqlparser/v2. The problem is in
// ../spec.md.
package main

import (
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"
	"github.com/vektah/gqlparser/v2/parser"

	"github.com/coppice-go/coppice/workloads/foreign/driver"
)

// parses is the number of parses of a run at the default depth.
const parses = 80

// schema parses one schema again and again.
type schema struct {
	source   *ast.Source
	document *ast.SchemaDocument
}

func main() { driver.Main("gqlparser", &schema{}) }

// Load generates the schema.
func (s *schema) Load(depth int) (int, error) {
	s.source = &ast.Source{Name: "schema.graphql", Input: generate(500 << 10)}
	return driver.Operations(depth, parses), nil
}

// Operate parses the schema. The previous tree is dead.
func (s *schema) Operate() (err error) {
	s.document = nil
	driver.Reset()
	s.document, err = parser.ParseSchema(s.source)
	return err
}

// Sum prints the tree, and visits the positions of its definitions and their fields.
func (s *schema) Sum() (uint64, error) {
	var printed strings.Builder
	formatter.NewFormatter(&printed, formatter.WithComments()).FormatSchemaDocument(s.document)
	sum := driver.NewSum()
	sum.Text(printed.String())
	for _, def := range s.document.Definitions {
		addPosition(&sum, def.Position)
		for _, field := range def.Fields {
			addPosition(&sum, field.Position)
			addPosition(&sum, field.Type.Position)
			for _, argument := range field.Arguments {
				addPosition(&sum, argument.Position)
			}
		}
	}
	return uint64(sum), nil
}

func addPosition(s *driver.Sum, p *ast.Position) {
	for _, n := range []int{p.Start, p.End, p.Line, p.Column} {
		s.Number(n)
	}
}

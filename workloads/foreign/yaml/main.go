// Command yaml loads a document with go.yaml.in/yaml/v4. The problem is in ../spec.md.
package main

import (
	"go.yaml.in/yaml/v4"

	"github.com/coppice-go/coppice/workloads/foreign/driver"
)

// loads is the number of documents that a run loads at the default depth.
const loads = 12

// document loads one document again and again.
type document struct {
	text []byte
	node *yaml.Node
}

func main() { driver.Main("yaml", &document{}) }

// Load generates the document.
func (d *document) Load(depth int) (int, error) {
	d.text = manifests(1 << 20)
	return driver.Operations(depth, loads), nil
}

// Operate loads the document. The previous tree is dead.
func (d *document) Operate() error {
	d.node = nil
	driver.Reset()
	d.node = new(yaml.Node)
	return yaml.Load(d.text, d.node)
}

// Sum traverses the tree.
func (d *document) Sum() (uint64, error) {
	s := driver.NewSum()
	add(&s, d.node)
	return uint64(s), nil
}

func add(s *driver.Sum, n *yaml.Node) {
	s.Number(int(n.Kind))
	s.Number(int(n.Style))
	s.Number(n.Line)
	s.Number(n.Column)
	for _, text := range []string{n.Tag, n.Value, n.Anchor, n.HeadComment, n.LineComment, n.FootComment} {
		s.Text(text)
	}
	if n.Alias != nil {
		s.Text(n.Alias.Anchor)
	}
	s.Number(len(n.Content))
	for _, child := range n.Content {
		add(s, child)
	}
}

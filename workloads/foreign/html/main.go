// Command html parses a web page with golang.org/x/net/html. The problem is in ../spec.md.
package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/net/html"

	"github.com/coppice-go/coppice/workloads/foreign/driver"
)

// pages is the number of pages of a run at the default depth.
const pages = 60

// page parses one page again and again.
type page struct {
	text []byte
	doc  *html.Node
}

func main() { driver.Main("html", &page{}) }

// Load generates a page of a megabyte: the module's own test page with its body repeated.
func (p *page) Load(depth int) (int, error) {
	folder, err := driver.Module("html", "golang.org/x/net")
	if err != nil {
		return 0, err
	}
	text, err := os.ReadFile(filepath.Join(folder, "html", "testdata", "go1.html"))
	if err != nil {
		return 0, err
	}
	body := bytes.Index(text, []byte("<body>"))
	end := bytes.Index(text, []byte("</body>"))
	if body < 0 || end < body {
		return 0, errors.New("the test page of x/net has no body")
	}
	body += len("<body>")
	p.text = append(p.text, text[:body]...)
	for len(p.text) < 1<<20 {
		p.text = append(p.text, text[body:end]...)
	}
	p.text = append(p.text, text[end:]...)
	return driver.Operations(depth, pages), nil
}

// Operate parses the page. The previous tree is dead.
func (p *page) Operate() (err error) {
	p.doc = nil
	driver.Reset()
	p.doc, err = html.Parse(bytes.NewReader(p.text))
	return err
}

// Sum traverses the tree.
func (p *page) Sum() (uint64, error) {
	s := driver.NewSum()
	add(&s, p.doc)
	return uint64(s), nil
}

func add(s *driver.Sum, n *html.Node) {
	s.Number(int(n.Type))
	s.Number(int(n.DataAtom))
	s.Text(n.Data)
	s.Text(n.Namespace)
	s.Number(len(n.Attr))
	for _, a := range n.Attr {
		s.Text(a.Namespace)
		s.Text(a.Key)
		s.Text(a.Val)
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Parent != n {
			s.Text("a child of another parent")
		}
		add(s, c)
	}
	s.Number(-1)
}

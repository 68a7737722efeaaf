// Package flatexport exports flat trees of any schema to tables in Parquet files, which query
// engines can read. There is one table of all trees, one of all nodes, one for each kind of node,
// and one for each list. docs/CORPORA.md describes the tables.
package flatexport

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/flatimpl"
	"github.com/coppice-go/coppice/flat/forest"
)

// Totals contains the numbers of trees, nodes and tables that were exported.
type Totals struct{ Trees, Nodes, Tables int }

// ErrNotEmpty is returned by Export if the folder for the tables already contains files.
var ErrNotEmpty = errors.New("the folder is not empty")

// limits allows trees of any depth and with any number of shared nodes. The export needs no limits,
// because it visits each record once.
var limits = flat.LoadLimits{MaxDepth: math.MaxInt, MaxWalk: math.MaxInt}

// Export writes the trees of the files to tables in a folder, which it creates if necessary. Each
// file is a tree or a forest, and all must have the same schema. Export keeps one tree and a few
// tens of MB of rows in memory, regardless of the number of trees. After an error, it removes the
// files that it has written.
func Export(files []string, folder string) (Totals, error) {
	if old, err := os.ReadDir(folder); err == nil && len(old) > 0 {
		return Totals{}, fmt.Errorf("%s: %w; remove it or name another", folder, ErrNotEmpty)
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return Totals{}, err
	}
	e := &exporter{folder: folder}
	err := e.files(files)
	if err = errors.Join(err, e.close()); err != nil {
		return Totals{}, errors.Join(err, e.remove())
	}
	return Totals{e.trees, e.nodes, len(e.tables)}, nil
}

// An exporter is the state of one export.
type exporter struct {
	folder       string
	plan         *plan
	text         string // text of the schema
	tables       []*table
	trees, nodes int
	walk         walk
}

func (e *exporter) files(files []string) error {
	for _, file := range files {
		if err := e.file(file); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	if e.plan == nil {
		return errors.New("no tree to export")
	}
	return nil
}

// file exports the trees of one file, which is a forest or a single tree.
func (e *exporter) file(path string) error {
	is, err := IsForest(path)
	if err != nil {
		return err
	}
	if !is {
		return e.single(path)
	}
	for next, trees := 0, -1; next != trees; {
		if next, trees, err = e.exportPart(path, next, trees); err != nil {
			return err
		}
	}
	return nil
}

// mostMapped is the number of bytes of trees after which the exporter closes a forest and opens it
// again, so that the mapped pages are returned to the system. The time to open a forest is
// proportional to the number of its trees. The exporter therefore reopens it only after reading for
// at least openings times as long as the last opening took.
var mostMapped, openings = int64(32 << 20), time.Duration(20)

// exportPart opens a forest and exports some of its trees, beginning with the tree at index next.
// It returns the index at which the next call must continue, and the number of trees. The parameter
// trees is the number of trees that the first call returned, and is negative in the first call.
func (e *exporter) exportPart(path string, next, trees int) (int, int, error) {
	start := time.Now()
	r, err := forest.OpenAny(path, limits)
	if err != nil {
		return next, trees, err
	}
	defer r.Close()
	opening := time.Since(start)
	if trees < 0 {
		trees = r.Len()
	}
	if r.Len() < trees {
		return next, trees, errors.New("the file was truncated during the export")
	}
	for read := int64(0); next < trees && (read == 0 || read < mostMapped || time.Since(start) < openings*opening); next++ {
		t, err := r.At(next)
		if err != nil {
			return next, trees, err
		}
		var failed error
		if fault := flat.Guard(func() { failed = e.tree(t, path, r.Name(next)) }); fault != nil || failed != nil {
			return next, trees, fmt.Errorf("tree %d, %q: %w", next, r.Name(next), errors.Join(fault, failed))
		}
		read += 4 * int64(t.NumWords())
	}
	return next, trees, nil
}

func (e *exporter) single(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	t, err := flat.ReadAny(file, limits)
	if err != nil {
		return err
	}
	return e.tree(t, path, filepath.Base(path))
}

// IsForest reports whether a file is a forest. It reads only the first bytes of the file.
func IsForest(path string) (bool, error) {
	file, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer file.Close()
	start := make([]byte, len(forest.Magic))
	_, err = io.ReadFull(file, start)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return false, nil // ReadAny will return a better error
	}
	return bytes.Equal(start, []byte(forest.Magic)), err
}

// tree exports a single tree. The file and the name are stored in the tree table.
func (e *exporter) tree(t *flat.Tree, file, name string) error {
	in := (*flatimpl.Tree)(t).Inspect()
	if e.plan == nil {
		e.text = in.SchemaText()
		if err := e.open(in.Layout()); err != nil {
			return err
		}
	}
	if in.SchemaText() != e.text {
		return errors.New("its schema differs from that of the trees before it; export trees of different schemas to different folders")
	}
	e.walk.locate(in, e.plan)
	p := e.plan
	p.trees.integer(int64(e.trees))
	p.trees.text(file)
	p.trees.text(name)
	p.trees.integer(int64(t.NumNodes()))
	p.trees.integer(int64(t.NumWords()))
	if err := p.trees.row(); err != nil {
		return err
	}
	out := rows{walk: &e.walk, tree: int64(e.trees)}
	for number, i := range e.walk.starts {
		if !e.walk.reached(number) {
			continue
		}
		if err := errors.Join(e.node(number, i), out.record(p.kinds[uint8(e.walk.words[i])], number, i)); err != nil {
			return err
		}
		if e.nodes++; e.nodes%rowsInBatch == 0 {
			if err := e.bound(); err != nil {
				return err
			}
		}
	}
	e.trees++
	return e.bound()
}

// node adds the row for a node to the node table. The node's record is at index i.
func (e *exporter) node(number int, i uint32) error {
	t, n := e.plan.nodes, &e.walk.nodes[number]
	t.integer(int64(e.trees))
	t.integer(int64(number))
	t.text(e.plan.names[uint8(e.walk.words[i])])
	if n.parent == none {
		t.null()
		t.null()
		t.null()
	} else {
		t.integer(int64(n.parent))
		t.text(n.field.name)
		if n.field.list {
			t.integer(int64(n.item))
		} else {
			t.null()
		}
	}
	t.integer(int64(n.depth))
	t.integer(int64(n.pre))
	t.integer(int64(n.size))
	return t.row()
}

package flatexport

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// rowsInBatch is the number of rows that a table collects before it passes them to the Parquet
// writer.
const rowsInBatch = 1024

// mostPending is the maximum number of bytes in the open row groups of all tables. It includes
// compressed pages, the values of the current pages, and dictionaries.
var mostPending = int64(16 << 20)

// These constants limit the memory that grows with the number of columns. The current pages of all
// columns together have a capacity of pageBytes, but each page has at least leastPage and at most
// mostPage bytes. When a dictionary exceeds mostDictionary bytes, it is written, and the remaining
// values of the row group are stored without a dictionary.
const (
	pageBytes      = 32 << 20
	leastPage      = 4 << 10
	mostPage       = 256 << 10
	mostDictionary = 1 << 20
)

// A column describes one column of a table: its name, the Go type of its values, and whether they
// may be null.
type column struct {
	name     string
	kind     reflect.Type
	optional bool
}

// A table is a Parquet file that is being written. Values are added row by row and, within a row,
// in the order of the columns.
type table struct {
	name    string
	columns []column
	keys    int // number of columns at the beginning that identify the row
	file    *os.File
	out     *bufio.Writer
	w       *parquet.GenericWriter[any]
	writers []*parquet.ColumnWriter
	batch   [][]parquet.Value
	at      int   // index of the next column
	written int64 // size of the file when the row group began
}

// pageSize returns the size of a page in bytes. columns is the total number of columns in all
// tables.
func pageSize(columns int) int { return min(max(pageBytes/columns, leastPage), mostPage) }

// open creates the file of the table in the folder. page is the size of its pages in bytes.
func (t *table) open(folder string, page int) error {
	path := filepath.Join(folder, filepath.FromSlash(t.name)+".parquet")
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	t.file, t.out = file, bufio.NewWriterSize(file, 1<<16)
	fields := make([]reflect.StructField, len(t.columns))
	for i, c := range t.columns {
		tag := c.name
		if c.kind.Kind() == reflect.String {
			tag += ",dict"
		}
		if c.optional {
			tag += ",optional"
		}
		fields[i] = reflect.StructField{Name: fmt.Sprintf("C%d", i), Type: c.kind, Tag: reflect.StructTag(fmt.Sprintf("parquet:%q", tag))}
	}
	schema := parquet.SchemaOf(reflect.New(reflect.StructOf(fields)).Interface())
	t.w = parquet.NewGenericWriter[any](t.out, schema, parquet.Compression(&parquet.Zstd), parquet.PageBufferSize(page),
		parquet.DictionaryMaxBytes(mostDictionary))
	t.writers = t.w.ColumnWriters()
	t.batch = make([][]parquet.Value, len(t.columns))
	return nil
}

// has reports whether the table has a column with the given name. It ignores case, because query
// engines ignore it, too.
func (t *table) has(name string) bool {
	return slices.ContainsFunc(t.columns, func(c column) bool { return strings.EqualFold(c.name, name) })
}

// put adds the value of the next column to the current row.
func (t *table) put(v parquet.Value) {
	level := 0
	if t.columns[t.at].optional {
		level = 1
	}
	t.batch[t.at] = append(t.batch[t.at], v.Level(0, level, t.at))
	t.at++
}

func (t *table) null() {
	t.batch[t.at] = append(t.batch[t.at], parquet.NullValue().Level(0, 0, t.at))
	t.at++
}

// integer adds an integer to the current row. The column has 32-bit or 64-bit integers.
func (t *table) integer(v int64) {
	if k := t.columns[t.at].kind.Kind(); k == reflect.Int64 || k == reflect.Uint64 {
		t.put(parquet.Int64Value(v))
		return
	}
	t.put(parquet.Int32Value(int32(v)))
}

// text adds a string to the current row. Strings in Parquet must be valid UTF-8, so invalid bytes
// are replaced.
func (t *table) text(s string) {
	t.put(parquet.ByteArrayValue([]byte(strings.ToValidUTF8(s, "\uFFFD"))))
}

// row ends the current row.
func (t *table) row() error {
	t.at = 0
	if len(t.batch[0]) < rowsInBatch {
		return nil
	}
	return t.write()
}

// write passes the collected rows to the Parquet writer, which adds them to the row group.
func (t *table) write() error {
	if len(t.batch[0]) == 0 {
		return nil // parquet-go takes the address of the first value, so there must be one
	}
	for i, values := range t.batch {
		if _, err := t.writers[i].WriteRowValues(values); err != nil {
			return err
		}
		t.batch[i] = values[:0]
	}
	return nil
}

// flush ends the current row group and writes it to the file.
func (t *table) flush() error {
	if err := t.write(); err != nil {
		return err
	}
	err := t.w.Flush()
	t.written = t.w.Size()
	return err
}

// pending returns the number of bytes in the current row group.
func (t *table) pending() int64 { return t.w.Size() - t.written }

func (t *table) close() error {
	if t.w == nil {
		return nil
	}
	return errors.Join(t.write(), t.w.Close(), t.out.Flush(), t.file.Close())
}

// bound limits the memory for open row groups. When they reach mostPending bytes, it ends row
// groups, beginning with the largest, until less than half of mostPending is left. A file must have
// few, large row groups, because the file's footer describes each row group, and these descriptions
// stay in memory until the file is closed.
func (e *exporter) bound() error {
	sum := int64(0)
	for _, t := range e.tables {
		sum += t.pending()
	}
	if sum < mostPending {
		return nil
	}
	byPending := slices.Clone(e.tables)
	slices.SortFunc(byPending, func(a, b *table) int { return cmp.Compare(b.pending(), a.pending()) })
	for _, t := range byPending {
		if sum < mostPending/2 {
			break
		}
		sum -= t.pending()
		if err := t.flush(); err != nil {
			return err
		}
	}
	return nil
}

// close writes the remaining data of all tables and closes their files.
func (e *exporter) close() error {
	var all []error
	all = slices.Grow(all, len(e.tables))
	for _, t := range e.tables {
		all = append(all, t.close())
	}
	return errors.Join(all...)
}

// remove removes all files that the exporter has created, and the folders if they are then empty.
func (e *exporter) remove() error {
	var all []error
	for _, t := range e.tables {
		if t.file != nil {
			all = append(all, os.Remove(t.file.Name()))
		}
	}
	os.Remove(filepath.Join(e.folder, "kinds"))
	os.Remove(e.folder)
	return errors.Join(all...)
}

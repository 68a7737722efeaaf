package flat_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"testing"
	"time"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/cases/every"
	"github.com/coppice-go/coppice/flat/internal/cases/everyflat"
	"github.com/coppice-go/coppice/flat/internal/cases/version1"
	"github.com/coppice-go/coppice/flat/internal/cases/version1flat"
	"github.com/coppice-go/coppice/flat/internal/cases/version2flat"
	"github.com/coppice-go/coppice/flat/internal/example/expr"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/machine"
	"github.com/coppice-go/coppice/internal/testkit/compiler"
)

// echo returns a file that contains a single string of the given length and a list that refers to
// it the given number of times.
func echo(length, times int) []byte {
	blobs := make([][]byte, times)
	blobs[0] = []byte(strings.Repeat("x", length))
	tree := must(everyflat.FromTree(&every.Lists{Blobs: blobs}, flat.LoadLimits{}))
	f := takeApart(fileOf(tree.Flat()))
	for i := range times {
		f.Words[len(f.Words)-1-i] = 1
	}
	return f.bytes()
}

// TestStringsMentionedOftenAreBounded verifies that a file of one megabyte with twenty thousand
// references to a single string of half a megabyte does not grow to 10 GB when it is converted or
// printed.
func TestStringsMentionedOftenAreBounded(t *testing.T) {
	data := echo(512<<10, 20_000)
	tree := must(everyflat.Load(data, flat.LoadLimits{}))
	var err error
	bytes := allocated(func() { _, err = everyflat.ToTree(tree, flat.LoadLimits{}) })
	if !errors.Is(err, flat.ErrLimit) || !strings.Contains(err.Error(), "LoadLimits.MaxBytes") || bytes > 64<<20 {
		t.Errorf("ToTree allocates %d bytes: %v", bytes, err)
	}
	var dump, first counting
	if err := tree.Dump(&dump); err != nil || dump > 20<<20 {
		t.Errorf("Dump writes %d bytes (%v)", dump, err)
	}
	if text := tree.String(); len(text) > 1<<20 {
		t.Errorf("String returns %d bytes", len(text))
	}
	once := must(everyflat.Load(echo(512<<10, 1), flat.LoadLimits{}))
	if err := once.Dump(&first); err != nil || first < 512<<10 {
		t.Errorf("Dump of what is mentioned once writes %d bytes (%v)", first, err)
	}
	few := must(everyflat.Load(echo(1000, 3), flat.LoadLimits{}))
	if _, err := everyflat.ToTree(few, flat.LoadLimits{}); err != nil {
		t.Error(err)
	}
	for most, ok := range map[int64]bool{3000: true, 2999: false} {
		if _, err := everyflat.ToTree(few, flat.LoadLimits{MaxBytes: most}); (err == nil) != ok {
			t.Errorf("3000 bytes, at most %d: %v", most, err)
		}
	}
	var text strings.Builder
	if err := few.Dump(&text); err != nil {
		t.Error(err)
	}
	x := strings.Repeat("x", 64)
	if want := `Blobs: ["` + strings.Repeat("x", 1000) + `", "` + x + `"... (1000 bytes), "` + x + `"... (1000 bytes)]`; !strings.Contains(text.String(), want) {
		t.Errorf("%s, want %s", text.String(), want)
	}
}

// A counting is an io.Writer that counts the bytes written to it.
type counting int

func (c *counting) Write(p []byte) (int, error) {
	*c += counting(len(p))
	if *c > 64<<20 { // so that an unbounded Dump ends
		return 0, errors.New("far too much is written")
	}
	return len(p), nil
}

// TestConvertedFilesAreBounded verifies that LoadLimits.MaxBytes also limits the size of a tree
// after its conversion to the newest version of the schema.
func TestConvertedFilesAreBounded(t *testing.T) {
	box := &version1.Box{}
	for range 1000 {
		box.Kids = append(box.Kids, &version1.Text{})
	}
	data := fileOf(must(version1flat.FromTree(box, flat.LoadLimits{})).Flat())
	newest := must(version2flat.Load(data, flat.LoadLimits{})).NumBytes()
	if newest <= int64(len(data)) {
		t.Fatalf("%d bytes become %d", len(data), newest)
	}
	for most, ok := range map[int64]bool{int64(len(data)) - 1: false, int64(len(data)): false, newest: true} {
		if _, err := version2flat.Load(data, flat.LoadLimits{MaxBytes: most}); (err == nil) != ok || err != nil && !errors.Is(err, flat.ErrLimit) {
			t.Errorf("%d bytes that become %d, at most %d: %v", len(data), newest, most, err)
		}
	}
}

// fileWith returns a file with the given schema and without records.
func fileWith(schema string) []byte {
	hash := fnv.New64a()
	hash.Write([]byte(schema))
	file := []byte("\x89FLAT\r\n\x1a")
	file = binary.LittleEndian.AppendUint32(file, 1)
	file = binary.LittleEndian.AppendUint32(file, 0)
	file = binary.LittleEndian.AppendUint64(file, hash.Sum64())
	for _, n := range []int{len(schema), 0, 1, 0, 1, 0, 0, 0, 0, 0} {
		file = binary.LittleEndian.AppendUint32(file, uint32(n))
	}
	file = append(file, schema...)
	return append(file, make([]byte, (4-len(schema)%4)%4+8)...)
}

// TestLargeSchemasAreReadFast verifies that the time to find a name in a large schema does not
// depend on the position of the name. With a linear search, a schema of a megabyte could keep a
// reader of unknown files busy for a minute.
func TestLargeSchemasAreReadFast(t *testing.T) {
	read := func(schema string) time.Duration {
		return processorTime(func() { _, _ = flat.LoadAny(fileWith(schema), flat.LoadLimits{}) })
	}
	schemas := map[string]func(last int) string{"sums": func(last int) string { return many("sum", " R", "&", 40_000, last) }}
	if !testing.Short() {
		schemas["structs"] = func(last int) string { return many("struct", "\n A int32", "", 20_000, last) }
	}
	for name, schema := range schemas {
		first, last := read(schema(0)), read(schema(1))
		slow := func() bool { return last > 4*first+50*time.Millisecond }
		for tries := 1; slow() && tries < 5; tries++ { // in case the collector ran meanwhile
			last = min(last, read(schema(1)))
		}
		if slow() {
			t.Errorf("names of %s: a reader takes %v if they are the first, %v if they are the last", name, first, last)
		}
	}
}

// many returns a schema with the given number of types, all of the given kind, and a record with
// 30,000 fields. If last is 0, all fields refer to the first type. If last is 1, they refer to the
// last seven types.
func many(kind, is, pointer string, types, last int) string {
	const fields = 30_000
	var b strings.Builder
	b.WriteString("flat 1\nroot R\n")
	for i := range types {
		fmt.Fprintf(&b, "%s S%d%s\n", kind, i, is)
	}
	b.WriteString("record R\n")
	for i := range fields {
		fmt.Fprintf(&b, " F%d %sS%d\n", i, pointer, last*(types-1-i%7))
	}
	return b.String()
}

// processorTime returns the CPU time that this process uses during f. Unlike the elapsed time, it
// does not depend on the load of the machine. It is 0 if the system does not report CPU times.
func processorTime(f func()) time.Duration {
	before, errBefore := machine.OwnUsage()
	f()
	after, errAfter := machine.OwnUsage()
	if errBefore != nil || errAfter != nil {
		return 0
	}
	return after.CPU() - before.CPU()
}

// TestFromTreeAllocatesNoLists verifies that FromTree does not allocate once per list. Ten times as
// many lists may need only a few more allocations, because larger buffers have to grow more often.
func TestFromTreeAllocatesNoLists(t *testing.T) {
	if checks.Enabled || compiler.ChecksPointers() {
		t.Skip("checked builds, and such as check pointers, allocate where others do not")
	}
	calls := func(n int) *expr.Call {
		root := &expr.Call{Fn: "f"}
		for range n {
			x := expr.Expr(&expr.Num{Value: 1})
			for range 5 { // nested lists
				x = &expr.Call{Fn: "g", Args: []expr.Expr{x, &expr.Num{Value: 2}}}
			}
			root.Args = append(root.Args, x)
		}
		return root
	}
	count := func(n int) float64 {
		x := calls(n)
		return testing.AllocsPerRun(3, func() { must(exprflat.FromTree(x, flat.LoadLimits{})) })
	}
	if few, many := count(100), count(1000); many > few+40 {
		t.Errorf("500 lists cost %v allocations, and 5000 cost %v", few, many)
	}
}

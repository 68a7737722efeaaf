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
)

// echo is the file of a list that mentions one string of so many bytes so many times.
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

// A megabyte that mentions half of itself twenty thousand times is not 10 GB to who converts or prints it.
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

// A counting counts what is written.
type counting int

func (c *counting) Write(p []byte) (int, error) {
	*c += counting(len(p))
	if *c > 64<<20 { // so that a Dump without a bound ends
		return 0, errors.New("far too much is written")
	}
	return len(p), nil
}

// What a file becomes in the newest version of its schema is bounded too.
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

// fileWith is a file of no record with that schema.
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

// A megabyte of schema does not keep a reader of unknown files busy for a minute.
func TestLargeSchemasAreReadFast(t *testing.T) {
	var sums, structs strings.Builder
	sums.WriteString("flat 1\nroot R\n")
	for i := range 40_000 {
		fmt.Fprintf(&sums, "sum S%d R\n", i)
	}
	sums.WriteString("record R\n")
	for i := range 30_000 {
		fmt.Fprintf(&sums, " F%d &S%d\n", i, 39_999-i%7)
	}
	structs.WriteString("flat 1\nroot R\n")
	for i := range 20_000 {
		fmt.Fprintf(&structs, "struct S%d\n A int32\n", i)
	}
	structs.WriteString("record R\n")
	for i := range 30_000 {
		fmt.Fprintf(&structs, " F%d S%d\n", i, 19_999-i%7)
	}
	schemas := map[string]string{"sums": sums.String()}
	if !testing.Short() {
		schemas["structs"] = structs.String()
	}
	for name, schema := range schemas {
		start := time.Now()
		_, err := flat.LoadAny(fileWith(schema), flat.LoadLimits{})
		if took := time.Since(start); took > 20*time.Second { // less than a second, where nothing else runs
			t.Errorf("%d bytes of %s took %v (%v)", len(schema), name, took, err)
		}
	}
}

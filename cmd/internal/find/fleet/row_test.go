package fleet

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
)

func TestParquet(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "service=web", "version=2")
	write(t, filepath.Join(in, "web-0-1.pb.gz"), heap(1000, map[string]count{"F@f.go:3": {10, 100, 1, 10}, "G@f.go:9": {5, 50, 0, 0}}))
	write(t, filepath.Join(in, "web-0-2.pb.gz"), heap(1010, map[string]count{"F@f.go:3": {30, 300, 2, 20}, "G@f.go:9": {5, 50, 0, 0}}))
	var b bytes.Buffer
	p := NewParquet(&b)
	read1(t, Options{Each: p.Write}, dir)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	rows, err := parquet.Read[Row](bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	instance := filepath.Join(in, "web-0")
	row := func(seconds int64, site string, objects, bytes, inUse int64) Row {
		return Row{Time: time.Unix(seconds, 0).UTC(), Service: "web", Version: "2", Instance: instance, Site: site, Objects: objects, Bytes: bytes, InUse: inUse}
	}
	f, g := "example.com/x.F /build/x/f.go:3", "example.com/x.G /build/x/f.go:9"
	want := []Row{row(1000, "", 15, 150, 1), row(1000, f, 10, 100, 1), row(1000, g, 5, 50, 0), row(1010, "", 20, 200, 2), row(1010, f, 20, 200, 2)}
	if len(rows) != len(want) {
		t.Fatalf("%d rows, want %d: %+v", len(rows), len(want), rows)
	}
	for i, r := range rows {
		if r.Time = r.Time.UTC(); r != want[i] {
			t.Errorf("row %d is %+v, want %+v", i, r, want[i])
		}
	}

	full := errors.New("no space left")
	if _, err := Read(context.Background(), []string{dir}, Options{Each: func([]Row) error { return full }}); err != full {
		t.Errorf("the error is %v, want that of Each", err)
	}
}

package profiles

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/coppice-go/coppice/store"
)

// open creates a store named accounted.
func open(t *testing.T) *store.Store[[8]byte] {
	t.Helper()
	s, err := store.New[[8]byte](store.Options{Name: "accounted"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestStoreProfile verifies that pprof can read the output of store.WriteProfile, and that it
// contains the number of bytes that the stores hold, by store name and by caller of store.New.
func TestStoreProfile(t *testing.T) {
	open(t).Make(100_000)
	open(t)
	var want uint64
	for _, total := range store.Totals() {
		if total.Name == "accounted" {
			want = total.Committed
		}
	}
	if want < 800_000 {
		t.Fatalf("Totals has %d bytes", want)
	}
	var file bytes.Buffer
	if err := store.WriteProfile(&file); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(&file)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.CheckValid(); err != nil {
		t.Fatal(err)
	}
	var committed int64
	for _, sample := range p.Sample {
		if sample.Label["store"][0] != "accounted" {
			continue
		}
		committed += sample.Value[2]
		if f := sample.Location[0].Line[0].Function.Name; !strings.Contains(f, "profiles.open") {
			t.Errorf("the innermost call of the stack is %s, want the caller of store.New", f)
		}
	}
	if uint64(committed) != want || p.DefaultSampleType != "inuse_space" {
		t.Errorf("the profile has %d bytes of default %s, want %d", committed, p.DefaultSampleType, want)
	}
}

package fleet

import (
	"maps"
	"net/url"
	"slices"
	"testing"

	"github.com/google/pprof/profile"
)

func TestInstance(t *testing.T) {
	for file, want := range map[string]string{
		"d/web-0-20261122T101500.pb.gz":     "d/web-0",
		"d/web-0-2026-11-22T10:15:00Z.pb":   "d/web-0",
		"d/web-0_2026-11-22_10-15-00.pprof": "d/web-0",
		"d/web-7f9-000123.pb.gz":            "d/web-7f9",
		"d/web-7-000123.pb.gz":              "d/web-7",
		"d/000123.pb.gz":                    "d/",
		"d/heap.pb.gz":                      "d/heap",
		"d/heap.1763800000.prof":            "d/heap",
	} {
		if got := instance(file); got != want {
			t.Errorf("%s is of instance %q, want %q", file, got, want)
		}
	}
}

func TestLabels(t *testing.T) {
	got := pathLabels("data/service=web%2Fapi/version=1.4/x/instance=a7.pb.gz")
	if want := map[string]string{"service": "web/api", "version": "1.4", "instance": "a7"}; !maps.Equal(got, want) {
		t.Errorf("of a path: %v, want %v", got, want)
	}
	got = fragmentLabels("service=web, version=1.4,bad")
	if want := map[string]string{"service": "web", "version": "1.4"}; !maps.Equal(got, want) {
		t.Errorf("of a fragment: %v, want %v", got, want)
	}
	p := &profile.Profile{Sample: []*profile.Sample{
		{Label: map[string][]string{"version": {"1"}, "request": {"a"}, "half": {"x"}}},
		{Label: map[string][]string{"version": {"1"}, "request": {"b"}}},
	}}
	if got, want := sampleLabels(p), map[string]string{"version": "1"}; !maps.Equal(got, want) {
		t.Errorf("of samples: %v, want %v", got, want)
	}
}

func TestNaturalOrder(t *testing.T) {
	want := []string{"a", "heap-2", "heap-09", "heap-9b", "heap-10", "heap-100", "heap-x"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, natural)
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestEndpoint(t *testing.T) {
	for name, want := range map[string]bool{
		"http://h:6060": false, "http://h:6060/": false, "http://h/debug/pprof": false, "http://h/x/debug/pprof/": false,
		"http://h/debug/pprof/heap": true, "http://h/store/1.pb.gz": true,
	} {
		u, err := url.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := endpoint(u); got != want {
			t.Errorf("%s serves one profile: %v, want %v", name, got, want)
		}
	}
}

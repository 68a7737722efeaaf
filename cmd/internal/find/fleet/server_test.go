package fleet

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"
	"google.golang.org/protobuf/encoding/protowire"
)

var allocated [][]byte

//go:noinline
func allocateForServer() {
	for range 200 {
		allocated = append(allocated, make([]byte, 64<<10))
	}
}

// TestEndpoints reads profiles from a server with the handlers of net/http/pprof.
func TestEndpoints(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/bomb", func(w http.ResponseWriter, _ *http.Request) {
		z := gzip.NewWriter(w)
		defer z.Close()
		for range 4 {
			if _, err := z.Write(make([]byte, 1<<20)); err != nil {
				return
			}
		}
	})
	mux.HandleFunc("/slow", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	server := httptest.NewServer(mux)
	defer server.Close()
	allocateForServer()

	r := read1(t, Options{Times: 2, Every: 50 * time.Millisecond}, server.URL+"/debug/pprof/heap?gc=1#service=web,version=3", server.URL+"/debug/pprof/profile?seconds=1#service=web,version=3")
	if r.Profiles != 3 || r.Bad != 0 || len(r.Groups) != 1 {
		t.Fatalf("%d profiles, %d groups, %q", r.Profiles, len(r.Groups), r.Warnings())
	}
	g := r.Groups[0]
	if g.Labels["service"] != "web" || g.Labels["version"] != "3" || g.Processes != 1 || g.Watched < 40*time.Millisecond {
		t.Errorf("%v, %d processes, watched for %v", g.Labels, g.Processes, g.Watched)
	}
	if s := siteIn(t, g, "allocateForServer"); s.Bytes < 1<<20 || s.InUseBytes < 1<<20 {
		t.Errorf("12 MB were allocated, the profile has %+v", s.Cost)
	}

	for path, want := range map[string]string{
		"/bomb":                         "exceeds the limit of 1 MB uncompressed",
		"/slow":                         "no response in time",
		"/absent":                       "404 Not Found: 404 page not found",
		"/debug/pprof/goroutine":        "neither a heap profile nor a CPU profile",
		"/debug/pprof/heap?debug=1":     "without debug=1",
		"/debug/pprof/nothing?seconds=": "404 Not Found",
	} {
		o := Options{MaxSize: 1 << 20}
		if path == "/slow" {
			o.Timeout = 50 * time.Millisecond
		}
		_, err := Read(context.Background(), []string{server.URL + path}, o)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: the error is %v, want one line with %q", path, err, want)
		}
	}
	server.Close()
	if _, err := Read(context.Background(), []string{server.URL}, Options{}); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("no server: %v", err)
	}
}

// pyroscope is a server that implements the protocol of querier.v1.QuerierService. It decodes
// requests with the protocol buffer library.
type pyroscope struct {
	t        *testing.T
	profiles map[string]*profile.Profile // by type and selector
}

func (p *pyroscope) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || r.Method != http.MethodPost || r.Header.Get("Connect-Protocol-Version") != "1" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	switch r.URL.Path + " " + r.Header.Get("Content-Type") {
	case "/prefix/querier.v1.QuerierService/Series application/json":
		var q struct {
			Matchers, LabelNames []string
			Start, End           int64 `json:",string"`
		}
		if err := json.Unmarshal(body, &q); err != nil || q.End-q.Start != 6*3600*1000 {
			p.t.Errorf("the request is %s: %v", body, err)
		}
		if q.Matchers[0] != `{namespace="a"}` {
			fmt.Fprint(w, `{}`)
			return
		}
		fmt.Fprint(w, `{"labelsSet":[{"labels":[{"name":"service_name","value":"web"},{"name":"version","value":"1"}]},{"labels":[{"name":"service_name","value":"api"}]}]}`)
	case "/prefix/querier.v1.QuerierService/SelectMergeProfile application/proto":
		var texts [3]string
		var numbers [5]uint64
		for len(body) > 0 {
			field, wire, n := protowire.ConsumeTag(body)
			body = body[n:]
			if wire == protowire.BytesType {
				texts[field], n = protowire.ConsumeString(body)
			} else {
				numbers[field], n = protowire.ConsumeVarint(body)
			}
			body = body[n:]
		}
		if numbers[4]-numbers[3] != 6*3600*1000 {
			p.t.Errorf("from %d till %d, want 6 hours", numbers[3], numbers[4])
		}
		got, ok := p.profiles[texts[1]+" "+texts[2]]
		if !ok {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"code":"not_found","message":"no such profile"}`)
			return
		}
		var b bytes.Buffer
		if err := got.WriteUncompressed(&b); err != nil {
			p.t.Error(err)
		}
		w.Header().Set("Content-Type", "application/proto")
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			defer z.Close()
			_, _ = z.Write(b.Bytes())
			return
		}
		_, _ = w.Write(b.Bytes())
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func TestPyroscope(t *testing.T) {
	column := func(name string, value int64) *profile.Profile {
		p := heap(1, map[string]count{"F@f.go:3": {value, 0, 0, 0}})
		p.SampleType = []*profile.ValueType{{Type: name}}
		p.Sample[0].Value = []int64{value}
		return p
	}
	web, api := ` {namespace="a",service_name="web",version="1"}`, ` {namespace="a",service_name="api"}`
	fake := &pyroscope{t: t, profiles: map[string]*profile.Profile{
		"memory:alloc_objects:count:space:bytes" + web:      column("alloc_objects", 30),
		"memory:alloc_space:bytes:space:bytes" + web:        column("alloc_space", 900),
		"process_cpu:cpu:nanoseconds:cpu:nanoseconds" + web: column("cpu", 50_000_000),
		"memory:alloc_objects:count:space:bytes" + api:      column("alloc_objects", 5),
		"memory:alloc_space:bytes:space:bytes" + api:        column("alloc_space", 80),
	}}
	fake.profiles["process_cpu:cpu:nanoseconds:cpu:nanoseconds"+web].Period = 10_000_000
	server := httptest.NewServer(fake)
	defer server.Close()
	source := "pyroscope+" + server.URL + `/prefix?selector=%7Bnamespace="a"%7D&from=6h`
	r := read1(t, Options{}, source)
	if len(r.Groups) != 2 || r.Profiles != 5 || r.Bad != 1 || !strings.Contains(r.BadFirst[0], "no such profile") {
		t.Fatalf("%d groups, %d profiles, %q", len(r.Groups), r.Profiles, r.Warnings())
	}
	g := r.Groups[0]
	if g.Labels["service_name"] != "web" || g.Labels["version"] != "1" || g.Processes != 1 || g.CPU.Classes.Samples != 5 {
		t.Errorf("the first group has %v, %d processes, %d samples", g.Labels, g.Processes, g.CPU.Classes.Samples)
	}
	if s := siteIn(t, g, "F"); s.Objects != 30 || s.Bytes != 900 || s.Fate.Age != 0 {
		t.Errorf("F has %+v, %+v", s.Cost, s.Fate)
	}
	for query, want := range map[string]string{
		`selector=%7Bnamespace="b"%7D&from=6h`: "no series",
		"from=yesterday":                       "such as 6h",
		"from=1h&till=2h":                      "must be before",
		"form=1h":                              "unknown parameter form",
	} {
		_, err := Read(context.Background(), []string{"pyroscope+" + server.URL + "/prefix?" + query}, Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want %q", query, err, want)
		}
	}
}

package main

import (
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coppice-go/coppice/examples/service/load/attack"
	"github.com/coppice-go/coppice/examples/service/shop"
)

// goods is the number of goods in the catalogs of the tests.
const goods = 2000

// start starts both forms of the service, and returns their URLs by name.
func start(t *testing.T) map[string]string {
	t.Helper()
	urls := map[string]string{}
	for name, open := range forms {
		handler, closeIt, err := open(shop.Catalog(goods))
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(handler)
		t.Cleanup(func() {
			server.Close()
			if err := closeIt(); err != nil {
				t.Error(err)
			}
		})
		urls[name] = server.URL
	}
	return urls
}

func post(t *testing.T, url, body string) (code int, answer string) {
	t.Helper()
	response, err := http.Post(url+"/search", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// Both forms of the service give the same answers, whether an answer is computed or comes from the
// cache.
func TestSameAnswers(t *testing.T) {
	urls := start(t)
	random := rand.New(rand.NewPCG(7, 8))
	found := 0
	for range 300 {
		body, err := json.Marshal(shop.Draw(random, goods))
		if err != nil {
			t.Fatal(err)
		}
		code, want := post(t, urls["before"], string(body))
		for range 2 {
			if c, got := post(t, urls["after"], string(body)); c != code || got != want || code != http.StatusOK {
				t.Fatalf("%s: %d %s, before %d %s", body, c, got, code, want)
			}
		}
		found += strings.Count(want, "sku-")
	}
	if found < 300 {
		t.Errorf("300 searches found %d goods", found)
	}
}

// Both forms of the service reject the same invalid searches, with the same errors.
func TestBadInput(t *testing.T) {
	urls := start(t)
	for body, want := range map[string]string{
		`{`:                         "unexpected end of JSON input",
		`{"where":"color = red )"}`: `where: unexpected ")"`,
		`{"where":"(color = red"}`:  "where: a parenthesis is open",
		`{"where":"color < red"}`:   `where: invalid "color < red"`,
		`{"where":"price < ten"}`:   `where: invalid "price < ten"`,
		`{"where":""}`:              "where: invalid",
		`{"where":"` + strings.Repeat("(", 1000) + `"}`: "where: nested more than 100 deep",
	} {
		code, before := post(t, urls["before"], body)
		if _, after := post(t, urls["after"], body); code != http.StatusBadRequest || !strings.HasPrefix(before, want) || after != before {
			t.Errorf("%.60s: %d %q, after %q, want %q", body, code, before, after, want)
		}
	}
	if err := serve("neither", "", 1); err == nil || !strings.HasPrefix(err.Error(), `invalid -form "neither"`) {
		t.Error(err)
	}
	if err := serve("after", "", 0); err == nil || !strings.HasPrefix(err.Error(), "invalid -goods 0") {
		t.Error(err)
	}
}

// TestLoad verifies that the load generator reaches both forms of the service, that all its
// searches are answered, and that the metrics of the second form count them.
func TestLoad(t *testing.T) {
	urls := start(t)
	for name, url := range urls {
		result, err := attack.Run(attack.Options{URL: url + "/search", Rate: 200, For: 500 * time.Millisecond, Goods: goods})
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if err := result.Print(&out); err != nil || result.Metrics.Requests != 100 || result.Histogram.Total != 100 ||
			!strings.Contains(out.String(), "100 searches") || !strings.Contains(out.String(), "latency: p50 ") {
			t.Errorf("%s: %v\n%s", name, err, out.String())
		}
	}
	response, err := http.Get(urls["after"] + "/watch")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var watched map[string]map[string]map[string]float64
	if err := json.NewDecoder(response.Body).Decode(&watched); err != nil {
		t.Fatal(err)
	}
	if a := watched["cache"]["answers"]; a["hits_total"]+a["misses_total"] != 100 {
		t.Errorf("the cache has %v", a)
	}
	if n := watched["hashmap"]["goods"]["entries"]; n != goods {
		t.Errorf("the index has %v goods, want %d", n, goods)
	}
}

// The load generator returns an error if the service does not answer searches.
func TestLoadOfNothing(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	result, err := attack.Run(attack.Options{URL: server.URL, Rate: 100, For: 50 * time.Millisecond, Goods: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := result.Print(io.Discard); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("%v, want 404", err)
	}
	if _, err := attack.Run(attack.Options{Rate: -1}); err == nil || !strings.HasPrefix(err.Error(), "invalid -rate -1") {
		t.Error(err)
	}
}

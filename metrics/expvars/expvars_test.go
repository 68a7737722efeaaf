package expvars_test

import (
	"encoding/json"
	"expvar"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cache"
	"github.com/coppice-go/coppice/metrics"
	"github.com/coppice-go/coppice/metrics/expvars"
	"github.com/coppice-go/coppice/store"
)

type page = map[string]map[string]map[string]float64

// The page /debug/vars shows the contents of the Set at the time of the request.
func TestPublish(t *testing.T) {
	var set metrics.Set
	expvars.Publish("published", &set)
	expvars.Publish("accounts", nil)
	server := httptest.NewServer(http.DefaultServeMux)
	defer server.Close()
	get := func() (got struct{ Published, Accounts page }) {
		t.Helper()
		response, err := http.Get(server.URL + "/debug/vars")
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if err := json.NewDecoder(response.Body).Decode(&got); err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := get(); got.Published["cache"] != nil {
		t.Errorf("the empty set has %v", got.Published)
	}
	c := cache.Must(cache.New[uint64, uint64](cache.Options{MaxBytes: 1 << 20, Name: "counted"}))
	set.Add(`a "name"`, metrics.Cache(c))
	c.Get(1)
	got := get()
	if got.Published["cache"][`a "name"`]["misses_total"] != 1 {
		t.Errorf("got %v", got.Published)
	}
	for _, accounts := range []page{got.Published, got.Accounts} {
		if m := accounts["memory"]["counted"]; m["containers"] != 1 || m["committed_bytes"] == 0 {
			t.Errorf("accounts are %v", accounts)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	got = get()
	if c := got.Published["cache"][`a "name"`]; c["misses_total"] != 1 || c["entries"] != 0 {
		t.Errorf("the closed cache is %v", c)
	}
	if _, ok := got.Accounts["memory"]["counted"]; ok {
		t.Errorf("the closed cache has an account: %v", got.Accounts)
	}
	set.Remove(`a "name"`)
	if got := get(); got.Published["cache"] != nil {
		t.Errorf("after Remove there is %v", got.Published)
	}
}

// A program that imports only containers or package metrics links neither package expvar nor an
// HTTP server.
func TestContainersDoNotImportIt(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	const ours = "github.com/coppice-go/coppice/"
	args := []string{"list", "-deps"}
	for _, name := range []string{"arena", "btree", "cache", "hashmap", "inline", "pool", "slab", "store", "symbols"} {
		args = append(args, ours+name)
	}
	containers, err := exec.Command("go", args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	metrics, err := exec.Command("go", "list", "-deps", ours+"metrics").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, refused := range []string{"\nexpvar\n", "\nnet/http\n", "\n" + ours + "metrics/expvars\n"} {
		if strings.Contains("\n"+string(containers)+string(metrics), refused) {
			t.Errorf("they import %s", strings.TrimSpace(refused))
		}
	}
	if strings.Contains(string(containers), ours+"metrics") {
		t.Error("a container imports package metrics")
	}
}

func ExamplePublish() {
	sessions := cache.Must(cache.New[uint64, string](cache.Options{MaxBytes: 1 << 20}))
	defer sessions.Close()
	var watched metrics.Set
	watched.Add("sessions", metrics.Cache(sessions))
	expvars.Publish("coppice", &watched) // at /debug/vars

	sessions.Get(7)
	var shown page
	if err := json.Unmarshal([]byte(expvar.Get("coppice").String()), &shown); err != nil {
		fmt.Println(err)
	}
	fmt.Println(shown["cache"]["sessions"]["misses_total"], "miss")
	// Output: 1 miss
}

// Var can be part of another variable, here as program.containers.
func ExampleVar() {
	records := store.Must(store.New[[16]byte](store.Options{Name: "records of ExampleVar"}))
	defer records.Close()
	program := new(expvar.Map)
	program.Set("containers", expvars.Var(nil))

	var shown map[string]page
	if err := json.Unmarshal([]byte(program.String()), &shown); err != nil {
		fmt.Println(err)
	}
	fmt.Println(shown["containers"]["memory"]["records of ExampleVar"]["containers"], "store")
	// Output: 1 store
}

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/workloads/requests/go/catalog"
	"github.com/coppice-go/coppice/workloads/requests/go/service"
)

// TestMain lets the test binary stand in for the program, which runs itself again to send the load.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == "load" || os.Args[1] == "serve") {
		os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// TestRun verifies that the program gives the expected answers and reports its figures, with every
// kind of memory.
func TestRun(t *testing.T) {
	want, err := exec.Command("go", "run", "../expect", "4").Output()
	if err != nil {
		t.Fatal(err)
	}
	for memory := range memories {
		report := filepath.Join(t.TempDir(), "report")
		var stdout, stderr strings.Builder
		if code := run([]string{"run", "-memory=" + memory, "-report=" + report, "4"}, &stdout, &stderr); code != 0 || stdout.String() != string(want) {
			t.Fatalf("%s: exit code %d, output\n%s%s\nwant\n%s", memory, code, stdout.String(), stderr.String(), want)
		}
		data, err := os.ReadFile(report)
		if err != nil {
			t.Fatal(err)
		}
		var figures map[string]float64
		if err := json.Unmarshal(data, &figures); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"throughput", "request_cpu_s", "request_bytes", "request_allocs", "gc_percent", "p50_s", "p99_s", "p999_s", "max_s"} {
			if figures[name] <= 0 {
				t.Errorf("%s: %s is %v", memory, name, figures[name])
			}
		}
		if p := figures["gc_percent"]; p > 100 {
			t.Errorf("%s: the collector took %v %% of the time", memory, p)
		}
	}
}

// TestLoadFails verifies that a load that fails prints one line and ends with exit code 1.
func TestLoadFails(t *testing.T) {
	server := httptest.NewServer(nil)
	server.Close()
	var stdout, stderr strings.Builder
	code := run([]string{"load", "-address", strings.TrimPrefix(server.URL, "http://"), "3"}, &stdout, &stderr)
	if code != 1 || stdout.Len() > 0 || strings.Count(stderr.String(), "\n") != 1 || !strings.HasPrefix(stderr.String(), "requests: dial ") {
		t.Errorf("exit code %d, output %q, errors %q", code, stdout.String(), stderr.String())
	}
}

func TestLoadPrintsItsResult(t *testing.T) {
	server := httptest.NewServer(service.New(service.Options{Prices: catalog.New().Price, MaxBody: maxBody}))
	defer server.Close()
	var stdout, stderr strings.Builder
	code := run([]string{"load", "-rate=500", "-address", strings.TrimPrefix(server.URL, "http://"), "3"}, &stdout, &stderr)
	if code != 0 || !strings.HasPrefix(stdout.String(), `{"requests":8,"checksum":`) {
		t.Errorf("exit code %d, output %q, errors %q", code, stdout.String(), stderr.String())
	}
}

// TestServe verifies that serve answers requests until it is interrupted, and that it then ends
// with exit code 0.
func TestServe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it has no signal to send")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "serve", "-memory=arena", "-address=127.0.0.1:0")
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill() // fails if the process has ended, as it should
	var address string
	if _, err := fmt.Fscanf(stdout, "listening at %s", &address); err != nil {
		t.Fatal(err)
	}
	response, err := http.Post("http://"+strings.TrimSuffix(address, ";")+"/evaluate", "text/plain", strings.NewReader("show x = 6 * 7;"))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(response.Body)
	if err != nil || string(answer) != "{\"x\":42}\n" {
		t.Errorf("answer %q, %v", answer, err)
	}
	if err := response.Body.Close(); err != nil {
		t.Error(err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, stdout); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("after an interrupt: %v", err)
	}
}

func TestBadArguments(t *testing.T) {
	const memory = "run -memory=arena "
	for args, want := range map[string]string{
		"":                              "no command",
		"fly":                           `no command "fly"`,
		"run 5":                         `no memory ""; there are arena go-heap`,
		"run -memory=stack 5":           `no memory "stack"; there are`,
		"serve":                         `no memory ""; there are`,
		"serve -memory=arena 5":         "serve takes no arguments",
		memory:                          "0 arguments, want one: the depth",
		memory + "5 6":                  "2 arguments, want one",
		memory + "ten":                  `depth "ten" is not a whole number from 0 to 20`,
		memory + "21":                   `depth "21" is not`,
		memory + "-1":                   "flag provided but not defined: -1",
		memory + "-rate=0 5":            "rate 0 is not from 1",
		memory + "-rate=-1 5":           "rate -1 is not from 1",
		memory + "-rate=NaN 5":          "rate NaN is not from 1",
		memory + "-address=x 5":         "flag provided but not defined: -address",
		"load -rate=+Inf 5":             "rate +Inf is not from 1",
		"load -connections=0 5":         "0 connections; want 1 to 1000",
		"load -connections=5000 5":      "5000 connections; want 1 to 1000",
		"load -memory=arena 5":          "flag provided but not defined: -memory",
		"serve -memory=arena -report=x": "flag provided but not defined: -report",
	} {
		var stdout, stderr strings.Builder
		code := run(strings.Fields(args), &stdout, &stderr)
		if code != 2 || stdout.Len() > 0 || strings.Count(stderr.String(), "\n") != 1 || !strings.HasPrefix(stderr.String(), "requests: "+want) {
			t.Errorf("%q: exit code %d, output %q, errors %q; want %s", args, code, stdout.String(), stderr.String(), want)
		}
	}
	var stdout, stderr strings.Builder
	if code := run([]string{"serve", "-memory=arena", "-address=no-such-host.invalid:1"}, &stdout, &stderr); code != 1 || strings.Count(stderr.String(), "\n") != 1 {
		t.Errorf("an address that cannot be: exit code %d, errors %q", code, stderr.String())
	}
}

func TestHelp(t *testing.T) {
	for args, want := range map[string]string{"-help": usage, "run -help": "-memory", "load -h": "-connections", "serve -help": "-address"} {
		var stdout, stderr strings.Builder
		if code := run(strings.Fields(args), &stdout, &stderr); code != 0 || stderr.Len() > 0 || !strings.Contains(stdout.String(), want) {
			t.Errorf("%s: exit code %d, output %q, errors %q", args, code, stdout.String(), stderr.String())
		}
	}
}

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/bits"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/coppice-go/coppice/examples/service/load/attack"
)

// These variables define the load of ../spec.md.
var (
	rate     = 500 // searches per second
	duration = 12 * time.Second
)

// A result is the output of the load process.
type result struct {
	Searches      uint64
	P50, P99, Max float64 // in seconds
}

// sendLoad sends the load from this process.
func sendLoad(address string, goods int, out io.Writer) error {
	r, err := attack.Run(attack.Options{URL: "http://" + address + "/search", Rate: rate, For: duration, Goods: goods})
	if err != nil {
		return err
	}
	m := &r.Metrics
	if m.Success < 1 {
		return fmt.Errorf("%.2f %% of the searches failed: %s", 100*(1-m.Success), strings.Join(m.Errors, "; "))
	}
	return json.NewEncoder(out).Encode(result{m.Requests, m.Latencies.P50.Seconds(), m.Latencies.P99.Seconds(), m.Latencies.Max.Seconds()})
}

// runtimeSettings lists the environment variables of the service's runtime. The load does not
// inherit them, so that it is always the same.
var runtimeSettings = []string{"GOGC", "GOMEMLIMIT", "GODEBUG", "GOMAXPROCS"}

// startLoad sends the load from a separate process, whose memory and collections are not counted as
// the service's.
func startLoad(address string, goods int) (r result, err error) {
	self, err := os.Executable()
	if err != nil {
		return r, err
	}
	cmd := exec.Command(self, "-load", address, strconv.Itoa(bits.Len(uint(goods))-1))
	cmd.Env = slices.DeleteFunc(os.Environ(), func(setting string) bool {
		name, _, _ := strings.Cut(setting, "=")
		return slices.Contains(runtimeSettings, name)
	})
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return r, fmt.Errorf("the load failed: %w: %s", err, strings.TrimSpace(stderr.String()))
	}
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
		return r, fmt.Errorf("the load printed %.100q: %w", stdout.Bytes(), err)
	}
	return r, nil
}

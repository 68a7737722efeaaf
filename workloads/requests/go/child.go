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

	"github.com/coppice-go/coppice/workloads/requests/go/load"
)

// sendLoad carries out a plan in this process and prints the result as JSON.
func sendLoad(j job, stdout io.Writer) error {
	result, err := load.Run(j.plan)
	if err != nil {
		return err
	}
	return json.NewEncoder(stdout).Encode(result)
}

// runtimeSettings lists the environment variables that configure the service's runtime. The
// load does not inherit them, so that it is always the same.
var runtimeSettings = []string{"GOGC", "GOMEMLIMIT", "GODEBUG", "GOMAXPROCS"}

// startLoad carries out a plan in a separate process, so that its memory and collections are not
// counted as the service's.
func startLoad(p load.Plan) (result load.Result, err error) {
	self, err := os.Executable()
	if err != nil {
		return result, err
	}
	depth := bits.Len(uint(p.Requests)) - 1 // p.Requests is a power of two
	cmd := exec.Command(self, "load", "-address", p.Address,
		"-rate", strconv.FormatFloat(p.Rate, 'g', -1, 64), "-connections", strconv.Itoa(p.Connections), strconv.Itoa(depth))
	cmd.Env = slices.DeleteFunc(os.Environ(), func(setting string) bool {
		name, _, _ := strings.Cut(setting, "=")
		return slices.Contains(runtimeSettings, name)
	})
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return result, fmt.Errorf("the load failed: %w: %s", err, strings.TrimSpace(stderr.String()))
	}
	if err := json.Unmarshal(stdout.Bytes(), &result); err != nil {
		return result, fmt.Errorf("the load printed %.100q: %w", stdout.Bytes(), err)
	}
	return result, nil
}

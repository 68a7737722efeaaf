package process

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/dustin/go-humanize"
	"github.com/klauspost/cpuid/v2"

	"github.com/coppice-go/coppice/cmd/internal/process/quiet"
)

// IgnoredPrefix is the prefix of the keys under which Environment returns the settings of the Go
// runtime that this program has inherited, but does not pass on to the processes that it runs.
const IgnoredPrefix = "ignored-"

// AnswerTime is the time limit for short commands, such as those that print the version of a tool.
const AnswerTime = 10 * time.Second

// Memory returns the smaller of the machine's memory and its cgroup's limit in bytes, or 0 if both
// are unknown.
func Memory() (least uint64) {
	for _, read := range []func() (uint64, error){memlimit.FromSystem, memlimit.FromCgroup} {
		if bytes, err := read(); err == nil && bytes > 0 && (least == 0 || bytes < least) {
			least = bytes
		}
	}
	return least
}

// Environment describes the machine and its tools. It omits unknown values.
func Environment(ctx context.Context, x Executor) map[string]string {
	values := map[string]string{
		"cpu":    cpuid.CPU.BrandName,
		"cores":  fmt.Sprint(runtime.NumCPU()),
		"goos":   runtime.GOOS,
		"goarch": runtime.GOARCH,
		"memory": humanize.IBytes(Memory()),
	}
	if host := hostOf(); host != "" {
		values["host"] = host
	}
	for name, file := range map[string]string{
		"kernel":     "/proc/sys/kernel/osrelease",
		"huge-pages": "/sys/kernel/mm/transparent_hugepage/enabled",
	} {
		if text, err := os.ReadFile(file); err == nil {
			values[name] = strings.TrimSpace(string(text))
		}
	}
	for name, command := range map[string][]string{
		"go":            {"go", "env", "GOVERSION"},
		"go-experiment": {"go", "env", "GOEXPERIMENT"},
		"gcc":           {"gcc", "--version"},
		"clang":         {"clang", "--version"},
	} {
		out, err := Succeed(ctx, x, Command{Args: command, Timeout: AnswerTime})
		if line := FirstLine(out.Stdout); err == nil && line != "" {
			values[name] = line
		}
	}
	if average := quiet.Average(); average != "" {
		values[quiet.LoadKey] = average
	}
	if load := quiet.Kept(values); load.Busy() {
		values["warning"] = load.Began() + "; do not use the machine during the measurement"
	}
	for name, value := range Inherited() {
		values[IgnoredPrefix+strings.ToLower(name)] = value
	}
	return values
}

// hostOf returns a string that identifies a machine but does not reveal its name, because results
// are published. It returns "" if the machine has no name.
func hostOf() string {
	name, err := os.Hostname()
	if err != nil || name == "" {
		return ""
	}
	sum := sha256.Sum256([]byte("coppice machine " + name))
	return hex.EncodeToString(sum[:4])
}

// Instrument measures the overhead of a measurement, which is the median wall time and CPU time of
// a process that does nothing.
func Instrument(ctx context.Context, x Executor, nothing []string) string {
	var wall, cpu []float64
	for range 11 {
		out, err := Succeed(ctx, x, Command{Args: nothing, Timeout: AnswerTime})
		if err != nil {
			return "unknown"
		}
		wall, cpu = append(wall, out.Figures["wall"]), append(cpu, out.Figures["cpu"])
	}
	slices.Sort(wall)
	slices.Sort(cpu)
	return fmt.Sprintf("%.1f ms wall, %.1f ms CPU for a process that does nothing", 1e3*wall[5], 1e3*cpu[5])
}

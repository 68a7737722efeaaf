package published

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/workloads/internal/arguments"
	"github.com/coppice-go/coppice/workloads/internal/selfreport"
)

var (
	call   = flag.Bool("call", false, "ask for allocations by b.ReportAllocs()")
	report = flag.String("report", "", "write what the benchmark prints as JSON to this `file`, and print the lab's answer in its place")
)

const usage = "published.test -test.run=^$ -test.bench=NAME [-test.benchmem] [-call] -report=FILE COUNT"

// TestMain runs as a contender of the lab if a report is requested, and otherwise runs the tests.
func TestMain(m *testing.M) {
	if !slices.ContainsFunc(os.Args[1:], func(arg string) bool { return strings.HasPrefix(arg, "-report=") }) {
		os.Exit(m.Run())
	}
	count = arguments.Number(1, 1e9, usage)
	if err := contend(m); err != nil {
		fmt.Fprintln(os.Stderr, "growth as published:", err)
		os.Exit(1)
	}
}

// contend runs the benchmark, writes the report, and prints the answer.
func contend(m *testing.M) error {
	printed, err := captured(func() error {
		if code := m.Run(); code != 0 {
			return fmt.Errorf("the benchmark ended with code %d", code)
		}
		return nil
	})
	if err != nil {
		return err
	}
	figures, err := parse(printed)
	if err != nil {
		return err
	}
	bools, trues := filled(), 0
	for _, v := range bools {
		if v {
			trues++
		}
	}
	fmt.Printf("%d bools, %d true\n", len(bools), trues)
	return figures.Write(*report)
}

// captured runs f and returns what f printed to standard output.
func captured(f func() error) (text string, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return "", err
	}
	stdout := os.Stdout
	os.Stdout = w
	read := make(chan []byte)
	go func() {
		all, _ := io.ReadAll(r)
		read <- all
	}()
	err = f()
	os.Stdout = stdout
	err = errors.Join(err, w.Close())
	return string(<-read), err
}

// parse parses the output of a single benchmark, such as
//
//	BenchmarkAppendToNil-8   	 1000000	      1026 ns/op	    2040 B/op	       8 allocs/op
func parse(printed string) (selfreport.Report, error) {
	figures := selfreport.Report{}
	for line := range strings.Lines(printed) {
		words := strings.Fields(line)
		if len(words) < 4 || !strings.HasPrefix(words[0], "Benchmark") {
			continue
		}
		if len(figures) > 0 {
			return nil, errors.New("there is more than one benchmark")
		}
		figures["procs"] = 1 // used if the name has no suffix with the number of processors
		if at := strings.LastIndex(words[0], "-"); at >= 0 {
			figures["procs"], _ = strconv.ParseFloat(words[0][at+1:], 64)
		}
		figures["iterations"], _ = strconv.ParseFloat(words[1], 64)
		for i := 2; i+1 < len(words); i += 2 {
			v, err := strconv.ParseFloat(words[i], 64)
			if err != nil {
				return nil, fmt.Errorf("%q: %w", line, err)
			}
			switch words[i+1] {
			case "ns/op":
				figures["op_s"] = v / 1e9
			case "B/op":
				figures["op_bytes"] = v
			case "allocs/op":
				figures["op_allocs"] = v
			}
		}
	}
	for _, metric := range []string{"procs", "iterations", "op_s", "op_bytes", "op_allocs"} {
		if _, ok := figures[metric]; !ok {
			return nil, fmt.Errorf("the benchmark did not say %s; ask for allocations by -call or -test.benchmem; it printed %q", metric, printed)
		}
	}
	return figures, nil
}

package meter

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/datafile"
)

// A Sample is the report of a metered binary about one run of one benchmark. The package comment
// describes what each value includes.
type Sample struct {
	Name    string          `json:"name"`    // BenchmarkX/sub, without the -P suffix
	Procs   int             `json:"procs"`   // P, from the flag -test.cpu or from GOMAXPROCS
	N       int             `json:"n"`       // number of operations
	Wall    float64         `json:"wall"`    // seconds during which the timer ran
	CPU     float64         `json:"cpu"`     // CPU time in seconds
	GCCPU   float64         `json:"gcCPU"`   // CPU time of the garbage collector in seconds
	Mallocs uint64          `json:"mallocs"` // number of allocated objects, exact
	Bytes   uint64          `json:"bytes"`   // number of allocated bytes, exact
	Cycles  uint32          `json:"cycles"`  // number of collections that ended
	Kept    map[string]Kept `json:"kept"`    // kept values by site; nil unless KeepEnv is set
	// Reported contains the metrics that the benchmark itself reports, by unit: the metrics of
	// b.ReportMetric, and MB/s after SetBytes.
	Reported map[string]float64 `json:"reported"`
}

// A Kept summarizes the values that CoppiceKeep received at one site during the run.
type Kept struct {
	Hash   string              `json:"hash"`   // 16 hexadecimal digits
	Values uint64              `json:"values"` // numbers, bools, strings and pointers in the values
	Calls  int                 `json:"calls"`
	Fields map[string][]string `json:"fields"` // names of all fields of each struct type in the values
}

// longestLine is the maximum length of a line that Read accepts. Lines are long because they
// contain the fields of all types that were kept.
const longestLine = 64 << 20

// Read reads the samples that metered binaries have appended to a file. If it finds a line that is
// not a sample, it returns the samples before this line and an error that names the line.
func Read(r io.Reader) ([]Sample, error) {
	var samples []Sample
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, longestLine)
	lines.Split(wholeLines)
	number := 1
	for ; lines.Scan(); number++ {
		s, err := parse(lines.Bytes())
		if err != nil {
			return samples, fmt.Errorf("line %d of the meter's file: %v", number, err)
		}
		samples = append(samples, s)
	}
	if err := lines.Err(); err != nil {
		return samples, fmt.Errorf("line %d of the meter's file: %w", number, err)
	}
	return samples, nil
}

var errCut = errors.New("it is truncated: the benchmark was probably killed")

// wholeLines is a bufio.SplitFunc for lines that end in a newline.
func wholeLines(data []byte, atEOF bool) (int, []byte, error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEOF && len(data) > 0 {
		return 0, nil, errCut
	}
	return 0, nil, nil
}

var hash = regexp.MustCompile(`^[0-9a-f]{16}$`)

func parse(text []byte) (s Sample, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return s, fmt.Errorf("not a sample: %w", datafile.JSON(err))
	}
	if d.InputOffset() != int64(len(text)) {
		return s, errors.New("not a sample: trailing data")
	}
	switch {
	case !strings.HasPrefix(s.Name, "Benchmark"):
		return s, fmt.Errorf("invalid name %q: must begin with Benchmark", s.Name)
	case s.N < 1 || s.Procs < 1:
		return s, fmt.Errorf("%s: invalid sample of %d operations on %d processors: both must be at least 1", s.Name, s.N, s.Procs)
	}
	for _, seconds := range []float64{s.Wall, s.CPU, s.GCCPU} {
		if seconds < 0 || seconds > math.MaxInt64/1e9 {
			return s, fmt.Errorf("%s: invalid time of %g seconds", s.Name, seconds)
		}
	}
	for site, k := range s.Kept {
		if !hash.MatchString(k.Hash) || k.Calls < 1 {
			return s, fmt.Errorf("%s: invalid site %q with hash %q of %d calls", s.Name, site, k.Hash, k.Calls)
		}
	}
	return s, nil
}

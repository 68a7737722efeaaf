package merge

import (
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/coppice-go/coppice/cmd/internal/lab/record"
)

// A Line is a row of the exported table: a run with the environment of its session.
type Line struct {
	Experiment string    `parquet:"experiment,dict"`
	Contender  string    `parquet:"contender,dict"`
	Language   string    `parquet:"language,dict"`
	Class      string    `parquet:"class,dict"`
	Depth      int64     `parquet:"depth"`
	Workers    int64     `parquet:"workers"`
	Env        string    `parquet:"env,dict"` // the contender's variables as sorted NAME=value
	Session    string    `parquet:"session,dict"`
	Round      int64     `parquet:"round"` // below 1 for warm-up rounds
	Started    time.Time `parquet:"started,timestamp(microsecond)"`
	Revision   string    `parquet:"revision,dict"`
	Dirty      bool      `parquet:"dirty"`
	Program    string    `parquet:"program,dict"`
	Sources    string    `parquet:"sources,dict"`
	Status     string    `parquet:"status,dict"`
	Reason     string    `parquet:"reason,dict"`
	Counts     bool      `parquet:"counts"` // whether the run is OK and not warm-up

	CPU         *float64           `parquet:"cpu,optional"` // seconds
	Wall        *float64           `parquet:"wall,optional"`
	User        *float64           `parquet:"user,optional"`
	System      *float64           `parquet:"system,optional"`
	RSS         *float64           `parquet:"rss,optional"` // bytes
	MinorFaults *float64           `parquet:"minor_faults,optional"`
	MajorFaults *float64           `parquet:"major_faults,optional"`
	Figures     map[string]float64 `parquet:"figures"` // all metrics, including the contender's own

	Machine     string            `parquet:"machine,dict"`
	Kind        string            `parquet:"kind,dict"`
	Processor   string            `parquet:"processor,dict"`
	Cores       string            `parquet:"cores,dict"`
	Memory      string            `parquet:"memory,dict"`
	OS          string            `parquet:"goos,dict"`
	Arch        string            `parquet:"goarch,dict"`
	Kernel      string            `parquet:"kernel,dict"`
	Go          string            `parquet:"go,dict"`
	GCC         string            `parquet:"gcc,dict"`
	Clang       string            `parquet:"clang,dict"`
	Plan        string            `parquet:"plan,dict"`
	Shard       string            `parquet:"shard,dict"`
	Environment map[string]string `parquet:"environment"` // the complete environment of the session
}

// linesInGroup is the number of rows that are buffered before they are written. The buffered rows
// take tens of MB.
const linesInGroup = 50_000

// Export writes one row for each run in the folders, in the Parquet format. It holds only one
// folder in memory at a time.
func Export(w io.Writer, folders []string) (rows int, notes []string, err error) {
	table := parquet.NewGenericWriter[Line](w, parquet.Compression(&parquet.Zstd))
	pending := 0
	notes, err = Each(folders, func(sessions []record.Session) error {
		for _, s := range sessions {
			lines := linesOf(s)
			if _, err := table.Write(lines); err != nil {
				return err
			}
			rows += len(lines)
			if pending += len(lines); pending >= linesInGroup {
				pending = 0
				if err := table.Flush(); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return rows, nil, err
	}
	return rows, notes, table.Close()
}

// linesOf returns the rows of a session. Strings in Parquet files are UTF-8, so invalid bytes are
// replaced.
func linesOf(s record.Session) []Line {
	v := map[string]string{}
	for key, value := range s.Environment.Values {
		v[plain(key)] = plain(value)
	}
	all, _ := machines([]record.Session{s})
	lines := make([]Line, 0, len(s.Runs))
	for _, r := range s.Runs {
		figure := func(metric string) *float64 {
			if f, ok := r.Figures[metric]; ok {
				return &f
			}
			return nil
		}
		figures := map[string]float64{}
		for metric, f := range r.Figures {
			figures[plain(metric)] = f
		}
		lines = append(lines, Line{
			Experiment: plain(r.Experiment), Contender: plain(r.Contender), Language: plain(r.Language), Class: plain(r.Class),
			Depth: int64(r.Depth), Workers: int64(r.Workers), Env: plain(settings(r.Env)), Session: plain(r.Session), Round: int64(r.Round), Started: r.Started,
			Revision: plain(r.Revision), Dirty: r.Dirty, Program: plain(r.Program), Sources: plain(r.Sources), Status: plain(string(r.Status)), Reason: plain(r.Reason), Counts: r.Counts(),
			CPU: figure("cpu"), Wall: figure("wall"), User: figure("user"), System: figure("system"), RSS: figure("rss"),
			MinorFaults: figure("minor_faults"), MajorFaults: figure("major_faults"), Figures: figures,
			Machine: plain(all[0].Name), Kind: plain(all[0].Kind), Processor: v["cpu"], Cores: v["cores"], Memory: v["memory"], OS: v["goos"], Arch: v["goarch"],
			Kernel: v["kernel"], Go: v["go"], GCC: v["gcc"], Clang: v["clang"], Plan: v[planKey], Shard: v[shardKey], Environment: v,
		})
	}
	return lines
}

func plain(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// settings formats the settings of a contender as a string, such as "GOGC=200 GOMEMLIMIT=1GiB".
func settings(env map[string]string) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(env)) {
		all = append(all, name+"="+env[name])
	}
	return strings.Join(all, " ")
}

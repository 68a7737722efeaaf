// Package record saves runs. Each run is written as a line of JSON, which suffices to recompute all
// results, and as a line in the Go benchmark format. It is the third stage of the lab's pipeline.
package record

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/coppice-go/coppice/cmd/internal/datafile"
)

// Schema is the version of the line format in runs.jsonl.
const Schema = 1

// RunsFile and BenchFile are the names of the data files in a results folder.
const (
	RunsFile  = "runs.jsonl"
	BenchFile = "bench.txt"
)

// Status is the outcome of a run.
type Status string

// Values of Status. Only the figures of runs with status OK are used.
const (
	OK      Status = "ok"
	Wrong   Status = "wrong"   // printed a wrong answer, or did not do the work
	Crashed Status = "crashed" // ended with an error or a signal
	Timeout Status = "timeout" // exceeded the time limit, and was killed
	Missing Status = "missing" // a required command, library or header is not installed
	Unbuilt Status = "unbuilt" // its build failed
)

// A Run is one execution of a contender. It is stored as one line of runs.jsonl.
type Run struct {
	Schema     int               `json:"schema"`
	Experiment string            `json:"experiment"`
	Contender  string            `json:"contender"`
	Language   string            `json:"language"`
	Class      string            `json:"class"`
	Depth      int               `json:"depth"`
	Workers    int               `json:"workers,omitempty"`
	Env        map[string]string `json:"env,omitempty"` // variables that are set for this contender
	Session    string            `json:"session"`       // identifies the invocation of the lab
	Round      int               `json:"round"`         // round of that session, from 1; 0 and below are warm-up
	Started    time.Time         `json:"started"`
	Revision   string            `json:"revision,omitempty"` // revision of the tree, if it is a git repository
	Dirty      bool              `json:"dirty,omitempty"`    // the tree has uncommitted changes
	Program    string            `json:"program,omitempty"`  // a hash of what ran: the command and its files; "" if unknown
	Sources    string            `json:"sources,omitempty"`  // a hash of what it was built from: see package sources; "" if unknown
	Status     Status            `json:"status"`
	Reason     string            `json:"reason,omitempty"` // why the status is not ok
	Output     string            `json:"output,omitempty"` // hash of the printed output, if no expected output was known

	// Figures contains the values of the metrics: wall, user, system and cpu in seconds, rss in
	// bytes, numbers of page faults, and the figures that the contender reported.
	Figures map[string]float64 `json:"figures,omitempty"`
}

// Built reports whether the contender was ready to run, which means that its program is known.
func (r Run) Built() bool { return r.Status != Missing && r.Status != Unbuilt }

// Counts reports whether the figures of the run are used. This is the case if its status is OK and
// it is not a warm-up run.
func (r Run) Counts() bool { return r.Status == OK && r.Round > 0 }

// Environment describes the machine and the tools of a session. It is written as the first line of
// the session.
type Environment struct {
	Schema  int               `json:"schema"`
	Session string            `json:"session"`
	Started time.Time         `json:"environment"`
	Values  map[string]string `json:"values"`
}

// A Session consists of an environment and the runs in it.
type Session struct {
	Environment Environment
	Runs        []Run
}

// A Log appends each run to the files of a results folder as soon as the run has ended, so that an
// interrupted session keeps its finished runs.
type Log struct {
	runs  *os.File
	bench *os.File
	env   Environment
}

// ordered reports whether a session has the given seed, which determines the order of the
// contenders, and at least one run whose figures are used.
func (s Session) ordered(seed string) bool {
	return s.Environment.Values["seed"] == seed && slices.ContainsFunc(s.Runs, Run.Counts)
}

// Create creates the results folder of an experiment if necessary, opens its files, and appends the
// environment. It fails if runs.jsonl in the folder was not written by the lab, belongs to a
// different experiment, or contains rounds with the same seed. It removes an incomplete last line,
// which a crash may have left. The caller must hold the folder's Lock.
func Create(folder, experiment string, env Environment) (*Log, error) {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, fmt.Errorf("results folder: %w; name a writable one with -out", err)
	}
	name := filepath.Join(folder, RunsFile)
	before, err := Read(folder)
	switch {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("%w; nothing was overwritten; name another folder with -out", err)
	default:
		if other := otherExperiment(before, experiment); other != "" {
			return nil, fmt.Errorf("%s contains runs of %s; nothing was overwritten; name another folder with -out", folder, other)
		}
		if seed := env.Values["seed"]; seed != "" && slices.ContainsFunc(before, func(s Session) bool { return s.ordered(seed) }) {
			return nil, fmt.Errorf("%s already has rounds with seed %s, and rounds in the same order are not independent; choose another -seed, or another folder with -out", folder, seed)
		}
		if err := dropCutLine(name); err != nil {
			return nil, err
		}
	}
	runs, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		return nil, fmt.Errorf("results folder: %w; name a writable one with -out", err)
	}
	bench, err := openBench(folder, before)
	if err != nil {
		return nil, errors.Join(err, runs.Close())
	}
	l := &Log{runs, bench, env}
	err = l.line(env)
	if err == nil {
		err = writeConfig(bench, env)
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// otherExperiment returns the name of a different experiment that has runs in the sessions, or ""
// if there is none.
func otherExperiment(sessions []Session, experiment string) string {
	for _, s := range sessions {
		for _, r := range s.Runs {
			if r.Experiment != experiment {
				return r.Experiment
			}
		}
	}
	return ""
}

// dropCutLine truncates a file after its last complete line.
func dropCutLine(name string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if end := bytes.LastIndexByte(data, '\n') + 1; end < len(data) {
		return os.Truncate(name, int64(end))
	}
	return nil
}

func (l *Log) line(v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if _, err := l.runs.Write(append(data, '\n')); err != nil {
		return fmt.Errorf("writing results: %w", err)
	}
	return nil
}

// Add appends a run to the runs file and, if its figures are used, to the bench file.
func (l *Log) Add(r Run) error {
	if err := l.line(r); err != nil {
		return err
	}
	if !r.Counts() {
		return nil
	}
	return writeBench(l.bench, r)
}

// Close closes both files.
func (l *Log) Close() error { return errors.Join(l.runs.Close(), l.bench.Close()) }

// Read returns the sessions in the runs.jsonl of a folder. It ignores an incomplete last line,
// which a crash may have left. For any other invalid line, it returns an error with the line
// number.
func Read(folder string) ([]Session, error) {
	name := filepath.Join(folder, RunsFile)
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var sessions []Session
	lines := bufio.NewReader(file)
	for n := 1; ; n++ {
		line, readErr := lines.ReadString('\n')
		if readErr != nil && readErr != io.EOF {
			return nil, fmt.Errorf("%s: %w", name, readErr)
		}
		cut := readErr == io.EOF
		if strings.TrimSpace(line) != "" {
			if err := parseLine(line, &sessions); err != nil && !(cut && len(sessions) > 0) {
				return nil, fmt.Errorf("%s:%d: not a line written by coppice lab: %w", name, n, err)
			}
		}
		if cut {
			break
		}
	}
	if len(sessions) == 0 {
		return nil, fmt.Errorf("%s contains no session of coppice lab", name)
	}
	return sessions, nil
}

// check checks that the names in a run are valid: each is a single line without control characters,
// and the experiment and the contender are not empty.
func (r Run) check() error {
	for _, field := range []struct{ key, name string }{
		{"experiment", r.Experiment}, {"contender", r.Contender}, {"language", r.Language}, {"class", r.Class}, {"program", r.Program}, {"revision", r.Revision},
	} {
		if strings.ContainsFunc(field.name, func(c rune) bool { return !unicode.IsPrint(c) }) {
			return fmt.Errorf("%s is %q; want one line without control characters", field.key, field.name)
		}
	}
	for metric := range r.Figures {
		if strings.ContainsFunc(metric, func(c rune) bool { return !unicode.IsPrint(c) }) {
			return fmt.Errorf("a metric is called %.60q; want one line without control characters", metric)
		}
	}
	if r.Experiment == "" || r.Contender == "" {
		return errors.New("a run must name an experiment and a contender")
	}
	return nil
}

func parseLine(line string, sessions *[]Session) error {
	var kind struct {
		Schema      int
		Environment *time.Time
	}
	if err := json.Unmarshal([]byte(line), &kind); err != nil {
		return datafile.JSON(err)
	}
	if kind.Schema != Schema {
		return fmt.Errorf("the line has schema %d; this program reads schema %d", kind.Schema, Schema)
	}
	if kind.Environment != nil {
		var env Environment
		if err := json.Unmarshal([]byte(line), &env); err != nil {
			return datafile.JSON(err)
		}
		*sessions = append(*sessions, Session{Environment: env})
		return nil
	}
	var r Run
	if err := json.Unmarshal([]byte(line), &r); err != nil {
		return datafile.JSON(err)
	}
	if len(*sessions) == 0 {
		return errors.New("a run precedes the first environment")
	}
	if err := r.check(); err != nil {
		return err
	}
	s := &(*sessions)[len(*sessions)-1]
	s.Runs = append(s.Runs, r)
	return nil
}

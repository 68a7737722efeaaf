package lab

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
	"github.com/coppice-go/coppice/cmd/internal/lab/runner"
	"github.com/coppice-go/coppice/cmd/internal/process/filelock"
	"github.com/coppice-go/coppice/cmd/internal/process/quiet"
)

// A job is one command in a list of commands: coppice lab run, which writes results, or coppice lab
// index.
type job struct {
	env   []string // settings in the format NAME=VALUE
	args  []string // arguments after coppice lab run or coppice lab index
	index bool

	experiment string
	options    options
	plan       runner.Plan
	today      func(record.Run) (string, bool) // returns the hash of the current sources of a run's contender, and whether the contender is declared
}

// String returns the command with its environment settings in front.
func (j *job) String() string {
	return strings.Join(append(slices.Clone(j.env), j.command()), " ")
}

// command returns the command without its environment settings, as a session records it.
func (j *job) command() string {
	verb := "run"
	if j.index {
		verb = "index"
	}
	return "coppice lab " + verb + " " + strings.Join(quoted(j.args), " ")
}

// parseJob parses one line of a list of commands.
func parseJob(line string) (*job, error) {
	words, err := shellWords(line)
	if err != nil {
		return nil, err
	}
	j := &job{}
	for len(words) > 0 && strings.Contains(words[0], "=") {
		j.env, words = append(j.env, words[0]), words[1:]
	}
	if len(words) < 4 || words[0] != "coppice" || words[1] != "lab" || words[2] != "run" && words[2] != "index" {
		return nil, errors.New("must be coppice lab run EXPERIMENT -out DIR ..., or coppice lab index DIR")
	}
	j.args, j.index = words[3:], words[2] == "index"
	if j.index {
		return j, nil
	}
	if j.experiment, j.options, err = parseRun(j.args, io.Discard); err != nil {
		return nil, err
	}
	if j.options.out == "" || j.options.shard != "" || j.options.dry || j.options.busy {
		return nil, errors.New("must write results: with -out, and without -shard, -n and -busy")
	}
	return j, nil
}

// shellWords splits a line into words as a shell does, but knows only single quotes.
func shellWords(line string) (words []string, err error) {
	word, inside, begun := "", false, false
	for _, r := range line {
		switch {
		case r == '\'':
			inside, begun = !inside, true
		case !inside && (r == ' ' || r == '\t'):
			if begun {
				words = append(words, word)
			}
			word, begun = "", false
		default:
			word, begun = word+string(r), true
		}
	}
	if inside {
		return nil, errors.New("unclosed quote")
	}
	if begun {
		words = append(words, word)
	}
	return words, nil
}

// prepareJobs looks up the experiments of the jobs, and plans their runs.
func prepareJobs(jobs []*job) error {
	for _, j := range jobs {
		if j.index {
			continue
		}
		_, e, err := findExperiment(j.experiment)
		if err != nil {
			return err
		}
		if j.plan, err = j.options.plan(e); err != nil {
			return fmt.Errorf("%s: %w", j, err)
		}
		j.today, _ = sourcesHere(e.Name) // the experiment was found, so it is declared
	}
	return nil
}

// lacks returns the reason why the job must run, or "" if its results already exist.
func (j *job) lacks(o measureFlags) (why string, err error) {
	if j.index || o.dry && o.again {
		return "again", nil
	}
	sessions, err := record.Read(j.options.out)
	if errors.Is(err, os.ErrNotExist) {
		return "no results", nil
	}
	if err != nil {
		return "", err
	}
	why = "no results from this command"
	for _, s := range sessions {
		switch doubt := j.doubt(s, o); doubt {
		case "":
			return "", nil
		case otherCommand:
		default:
			why = doubt
		}
	}
	return why, nil
}

const otherCommand = "from another command"

// doubt returns the reason why session s differs from the session that the job would measure now,
// or "" if it does not differ.
func (j *job) doubt(s record.Session, o measureFlags) string {
	switch load := quiet.Kept(s.Environment.Values); {
	case j.index || s.Environment.Values["command"] != j.command():
		return otherCommand
	case load.Busy() && !o.busy:
		return quiet.Mark
	}
	for _, c := range j.plan.Contenders {
		if !j.settled(s, c) {
			return "incomplete"
		}
	}
	for _, r := range s.Runs {
		if hash, declared := j.today(r); r.Counts() && (r.Sources != hash || !declared) {
			return "sources unknown, or changed since"
		}
	}
	return ""
}

// settled reports whether a session needs no further runs of a contender: it contains the last
// round of the contender, or a failed run.
func (j *job) settled(s record.Session, c experiment.Contender) bool {
	return slices.ContainsFunc(s.Runs, func(r record.Run) bool {
		return r.Contender == c.Name && r.Workers == c.Workers && r.Depth == j.plan.Depth && (r.Status != record.OK || r.Round == j.plan.Runs)
	})
}

// replace deletes from the output folder the sessions for which keep returns false.
func (j *job) replace(keep func(record.Session) bool) error {
	if j.index {
		return nil
	}
	if _, err := os.Stat(j.options.out); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	lock, err := filelock.Try(j.options.out)
	if err != nil {
		return err
	}
	defer lock.Release()
	return record.Keep(j.options.out, keep)
}

// Command treeserver measures a server that keeps the syntax trees of many files, as language
// servers and linters do: as the parsers' pointers, as flat trees, and as flat trees that are kept
// in a file until the next start. It is a separate module, because of the JavaScript parser. The
// problem is in ../spec.md.
//
//	treeserver -strategy NAME [-report FILE] DEPTH
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/coppice-go/coppice/workloads/internal/arguments"
	"github.com/coppice-go/coppice/workloads/internal/selfreport"
	"github.com/coppice-go/coppice/workloads/treeserver/source"
)

const usage = "treeserver -strategy NAME DEPTH"

// options are the flags. The last three are for the processes that the program starts.
type options struct {
	strategy, report string
	phase, dir       string
	spawned          int64
	depth            int
}

func main() {
	var o options
	flag.StringVar(&o.strategy, "strategy", "", "how to hold the trees: "+strings.Join(names(), ", "))
	flag.StringVar(&o.report, "report", "", "write figures as JSON to this `file`")
	flag.StringVar(&o.phase, "phase", "", "be one of the processes, a `name`; the program says so to itself")
	flag.StringVar(&o.dir, "dir", "", "the `folder` of the files of that process")
	flag.Int64Var(&o.spawned, "spawned", 0, "the `time` at which that process was started, in ns")
	o.depth = arguments.Number(0, source.GreatestDepth, usage)
	if !slices.Contains(names(), o.strategy) {
		arguments.Refuse(fmt.Sprintf("no strategy %q; there are %s", o.strategy, strings.Join(names(), ", ")), usage)
	}
	do := o.all
	if o.phase != "" {
		do = o.one
	}
	lines, figures, err := do()
	if err == nil {
		for _, line := range lines {
			fmt.Println(line)
		}
		err = figures.Write(o.report)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "treeserver:", err)
		os.Exit(1)
	}
}

// one runs the phase of one process.
func (o options) one() ([]string, selfreport.Report, error) {
	run, ok := phases[o.phase]
	if !ok {
		return nil, nil, fmt.Errorf("no phase %q", o.phase)
	}
	return run(phase{o.strategy, o.dir, 1 << o.depth, time.Unix(0, o.spawned)})
}

// all writes the files, and starts one process after another.
func (o options) all() (lines []string, figures selfreport.Report, err error) {
	dir, err := os.MkdirTemp("", "treeserver")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	files := 1 << o.depth
	if err := writeFiles(dir, files); err != nil {
		return nil, nil, err
	}
	o.dir = dir
	return life(o.strategy, dir, files, o.spawn)
}

// life runs the phases on files that are already written.
func life(strategy, dir string, files int, run func(name string) ([]string, selfreport.Report, error)) (lines []string, figures selfreport.Report, err error) {
	h, err := made(strategy, files)
	if err != nil {
		return nil, nil, err
	}
	names := []string{"hold", "restart"}
	if _, ok := h.(saver); ok {
		names = append([]string{"first"}, names...)
	}
	figures = selfreport.Report{}
	for _, name := range names {
		if name == "restart" {
			if err := changeClosed(dir, files); err != nil {
				return nil, nil, err
			}
		}
		more, found, err := run(name)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		lines = append(lines, more...)
		maps.Copy(figures, found)
	}
	return lines, figures, nil
}

// spawn runs a phase in a separate process.
func (o options) spawn(name string) (lines []string, figures selfreport.Report, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	report := filepath.Join(o.dir, name+".json")
	c := exec.Command(self, "-strategy", o.strategy, "-phase", name, "-dir", o.dir, "-report", report,
		"-spawned", strconv.FormatInt(time.Now().UnixNano(), 10), strconv.Itoa(o.depth))
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return nil, nil, err
	}
	data, err := os.ReadFile(report)
	if err != nil {
		return nil, nil, err
	}
	if err := json.Unmarshal(data, &figures); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", report, err)
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' }), figures, nil
}

// writeFiles writes the initial files.
func writeFiles(dir string, files int) error {
	for i := range files {
		if err := os.WriteFile(path(dir, i), source.File(i), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// changeClosed changes one file in sixty-four, like a program that fetches other people's
// changes while no server runs.
func changeClosed(dir string, files int) error {
	for i := 0; i < files; i += 64 {
		file := (i + i/64*5%64) % files
		text, err := read(nil, dir, file)
		if err != nil {
			return err
		}
		if err := os.WriteFile(path(dir, file), source.Edit(nil, text, uint64(file)), 0o666); err != nil {
			return err
		}
	}
	return nil
}

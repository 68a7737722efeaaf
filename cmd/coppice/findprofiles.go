package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
	"github.com/coppice-go/coppice/cmd/internal/find"
	"github.com/coppice-go/coppice/cmd/internal/find/fleet"
	"github.com/coppice-go/coppice/cmd/internal/progress"
	"github.com/coppice-go/coppice/cmd/internal/trees"
)

// profileFlags contains the flags with which coppice find reads existing profiles.
type profileFlags struct {
	heap, cpu []string
	dir       string // folder of the profiled module
	by        string
	times     int
	every     time.Duration
	parquet   string
}

// splitBy is the default value of -by, the list of profile labels by which the report is split.
const splitBy = "service,service_name,version"

func (p *profileFlags) define(flags *flag.FlagSet) {
	add := func(to *[]string) func(string) error {
		return func(name string) error {
			if name == "" {
				return errors.New("must be a file, a folder or a URL")
			}
			*to = append(*to, name)
			return nil
		}
	}
	flags.Func("heap", "read heap profiles from this `SOURCE`; repeatable", add(&p.heap))
	flags.Func("cpuprofile", "read CPU profiles from this `SOURCE`; repeatable", add(&p.cpu))
	flags.StringVar(&p.dir, "C", "", "`folder` of the module that was profiled (default: the current module)")
	flags.StringVar(&p.by, "by", splitBy, "profile `labels` that split the report, or none")
	flags.IntVar(&p.times, "times", 1, "read a server's heap profile this `number` of times; two or more give ages")
	flags.DurationVar(&p.every, "every", 10*time.Second, "`interval` between two readings")
	flags.StringVar(&p.parquet, "parquet", "", "also write a Parquet table to this `file`: one row per profile and site")
}

func (p *profileFlags) isSet() bool { return len(p.heap)+len(p.cpu) > 0 }

// The flags in ofProfiles apply only to existing profiles, and the flags in ofBenchmarks only to
// benchmarks that coppice find runs.
var (
	ofProfiles   = []string{"C", "by", "times", "every", "parquet"}
	ofBenchmarks = []string{"bench", "quick", "toolchains", "pprof"}
)

// check validates the flags. It returns an error for flags that apply only to existing profiles if
// none are named, and for flags that apply only to benchmarks if existing profiles are named.
func (p *profileFlags) check(flags *flag.FlagSet) error {
	var wrong []string
	of := ofProfiles
	if p.isSet() {
		of = ofBenchmarks
	}
	flags.Visit(func(f *flag.Flag) {
		if slices.Contains(of, f.Name) {
			wrong = append(wrong, "-"+f.Name)
		}
	})
	switch {
	case !p.isSet() && len(wrong) > 0:
		return cli.Usagef("%s: only for existing profiles; name them with -heap or -cpuprofile", strings.Join(wrong, ", "))
	case !p.isSet():
		return nil
	case len(wrong) > 0:
		return cli.Usagef("-heap and -cpuprofile read existing profiles: leave out %s", strings.Join(wrong, ", "))
	case flags.NArg() > 0:
		return cli.Usagef("unexpected argument %q: write -heap or -cpuprofile before each profile, or name their folder", flags.Arg(0))
	case p.times < 1:
		return cli.Usagef("invalid -times %d: must be at least 1", p.times)
	case p.every <= 0:
		return cli.Usagef("invalid -every %v: must be positive, such as 10s", p.every)
	}
	return nil
}

// labels returns the profile labels by which the report is split.
func (p *profileFlags) labels() []string {
	if p.by == "none" {
		return []string{}
	}
	return cli.List(p.by)
}

// fromProfiles implements coppice find for existing profiles.
func (o *findFlags) fromProfiles(ctx context.Context, stdout, stderr io.Writer) error {
	read := o.read
	if o.profiles.parquet != "" {
		read = o.readToTable
	}
	var results []*find.Result
	err := inScratch(ctx, "", tempInScratch, func(*trees.Scratch) (err error) {
		results, err = read(ctx, nil, stderr)
		return err
	})
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted; all temporary files were removed")
	}
	if err != nil {
		return unmeasured{err}
	}
	if len(results) > 1 && o.html != "" {
		return unmeasured{fmt.Errorf("-html needs a single report, but -by produces %d: use -by none", len(results))}
	}
	if err := o.print(results, nil, stdout); err != nil {
		return err
	}
	o.opens(results, stderr)
	return o.gated(results)
}

// readToTable is like read but also writes the Parquet table. The table has a temporary file name
// until it is complete.
func (o *findFlags) readToTable(ctx context.Context, _ func([]fleet.Row) error, stderr io.Writer) ([]*find.Result, error) {
	name := o.profiles.parquet
	file, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*")
	if err != nil {
		return nil, fmt.Errorf("-parquet %s: %w", name, err)
	}
	defer os.Remove(file.Name())
	rows := fleet.NewParquet(file)
	results, err := o.read(ctx, rows.Write, stderr)
	if err != nil {
		_ = file.Close() // the error does not matter, because the file is not used
		return nil, err
	}
	const forAll = 0o644
	if err := errors.Join(rows.Close(), file.Chmod(forAll), file.Close()); err != nil {
		return nil, fmt.Errorf("-parquet %s: %w", name, err)
	}
	return results, os.Rename(file.Name(), name)
}

// sources returns the profiles that the flags name, with the options for reading them.
func (o *findFlags) sources(ctx context.Context) (s find.Sources, err error) {
	p := &o.profiles
	s = find.Sources{
		Heap: p.heap, CPU: p.cpu, From: o.Dir, Tool: o.Tool,
		Fleet: fleet.Options{By: p.labels(), Times: p.times, Every: p.every},
	}
	switch {
	case p.dir != "":
		s.Dir, err = filepath.Abs(p.dir)
	case find.InModule(ctx, o.Dir):
		s.Dir = o.Dir
	}
	return s, err
}

// read reads the profiles and determines the proposals. If the function each is not nil, read calls
// it with the rows of every profile.
func (o *findFlags) read(ctx context.Context, each func([]fleet.Row) error, stderr io.Writer) ([]*find.Result, error) {
	steps := progress.NewSteps(stderr)
	defer steps.Close()
	s, err := o.sources(ctx)
	if err != nil {
		return nil, err
	}
	s.Show, s.Fleet.Each = steps.Stage, each
	o.Dir = cmp.Or(s.Dir, o.Dir) // file names in a SARIF log are relative to Dir
	all, err := find.Profiles(ctx, s)
	if err == nil && s.Dir != "" {
		err = find.Takes(ctx, s.Dir, all, o.shown, steps.Stage)
	}
	return all, err
}

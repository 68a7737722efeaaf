package lab

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/term"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
	"github.com/coppice-go/coppice/cmd/internal/lab/report"
	"github.com/coppice-go/coppice/cmd/internal/process/filelock"
)

// reportFiles maps the name of each file of a report, except the files with its runs, to the
// function that writes it.
var reportFiles = map[string]func(io.Writer, report.Report) error{
	"report.md": report.Markdown, "report.html": report.HTML, "ranking.svg": report.Picture,
}

// render prints the report, and writes its files if there is an output folder.
func (o options) render(e experiment.Experiment, sessions []record.Session, stdout io.Writer) error {
	r := built(e, sessions, o.baseline)
	if o.doubt != "" {
		r.Warnings = append(r.Warnings, o.doubt)
	}
	if o.answers != nil {
		*o.answers = append(*o.answers, newReported(r))
	} else if err := report.Text(stdout, r, screenWidth(stdout)); err != nil {
		return err
	}
	if o.out == "" {
		return nil
	}
	for name, write := range reportFiles {
		if err := cli.WriteFile(filepath.Join(o.out, name), func(w io.Writer) error { return write(w, r) }); err != nil {
			return err
		}
	}
	if o.answers != nil {
		return nil
	}
	fmt.Fprintln(stdout)
	report.Wrap(stdout, screenWidth(stdout), filepath.Join(o.out, "report.html")+" has the report and every run")
	return nil
}

// built builds the report of an experiment. If the repository that contains the working directory
// declares the experiment, the report states which programs differ from the programs in that
// repository.
func built(e experiment.Experiment, sessions []record.Session, baseline string) report.Report {
	r := report.Build(e, sessions, baseline)
	if today, ok := sourcesHere(e.Name); ok {
		r.Age(sessions, today)
	}
	return r
}

// screenWidth returns the number of columns of the terminal. If stdout is not a terminal, it
// returns the value of COLUMNS. 0 means unlimited, as in a file.
func screenWidth(stdout io.Writer) int {
	if file, ok := stdout.(*os.File); ok {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil {
			return width
		}
	}
	width, _ := strconv.Atoi(os.Getenv("COLUMNS"))
	return max(width, 0)
}

// parseReport parses the arguments of coppice lab report.
func parseReport(args []string, stdout io.Writer) (folders []string, o options, err error) {
	flags := flag.NewFlagSet("coppice lab report", flag.ContinueOnError)
	flags.StringVar(&o.baseline, "baseline", "", "compute ratios to the contender of this `name`")
	flags.StringVar(&o.out, "out", "", "write the reports to this `folder` (default: DIR, if there is one)")
	asJSON := flags.Bool("json", false, "print one JSON object, or an array for several experiments")
	folders, err = parseFolders(flags, "usage: coppice lab report DIR... [flags]\n", args, stdout)
	if err == nil && len(folders) == 0 {
		err = cli.Usagef("no folder given; try: coppice lab report DIR")
	}
	if *asJSON {
		o.answers = &[]reported{}
	}
	return folders, o, err
}

// parseFolders parses folders and flags, in any order. Arguments after -- are folders, even if
// they start with a dash.
func parseFolders(flags *flag.FlagSet, usage string, args []string, stdout io.Writer) (folders []string, err error) {
	err = cli.ParseFlags(flags, usage, args, stdout)
	return flags.Args(), err
}

// Report implements coppice lab report, which renders the saved results of one or more folders.
func Report(args []string, stdout io.Writer) error {
	folders, o, err := parseReport(args, stdout)
	if err != nil {
		return err
	}
	var saved results
	for _, dir := range folders {
		if err := saved.add(dir); err != nil {
			return err
		}
	}
	names := saved.experiments()
	switch {
	case len(names) == 0:
		return errors.New("no runs in these results")
	case len(names) > 1 && o.out != "":
		return cli.Usagef("-out needs results of one experiment, got %s", cli.Sentence(names))
	}
	var inUse error // this error does not prevent printing the report
	switch {
	case o.out != "":
		if err := os.MkdirAll(o.out, 0o777); err != nil {
			return fmt.Errorf("-out: %w; name a writable folder", err)
		}
	case len(folders) == 1:
		var lock *filelock.Lock
		if lock, inUse = filelock.Try(folders[0]); inUse == nil {
			defer lock.Release()
			o.out = folders[0]
		}
	}
	if err := saved.checkBaseline(o.baseline); err != nil {
		return err
	}
	for _, name := range names {
		e, doubt, err := saved.declaration(name)
		if err != nil {
			return err
		}
		o.doubt = doubt
		if err := o.render(e, saved.sessions, stdout); err != nil {
			return err
		}
	}
	return errors.Join(o.printAnswers(stdout), inUse)
}

// checkBaseline returns an error unless name is the name of a contender in one of the experiments.
func (r *results) checkBaseline(name string) (wrong error) {
	for _, experiment := range r.experiments() {
		e, _, err := r.declaration(experiment)
		if err != nil {
			return err
		}
		if wrong = checkBaseline(name, e, r.contenders(experiment)); wrong == nil {
			return nil
		}
	}
	return wrong
}

// printAnswers prints the output of -json: an object for one experiment, or an array for several.
func (o options) printAnswers(stdout io.Writer) error {
	switch {
	case o.answers == nil:
		return nil
	case len(*o.answers) == 1:
		return cli.WriteJSON(stdout, (*o.answers)[0])
	}
	return cli.WriteJSON(stdout, *o.answers)
}

// Command judge runs coppice fix in third-party modules, unattended, and prints the results as a
// Markdown table with a row for each module:
//
//	go run ./workshop/judge -out /tmp/judge                       # coppice fix in all of them
//	go run ./workshop/judge -out /tmp/judge -arena gqlparser js    # coppice fix -arena, in two
//	go run ./workshop/judge -out /tmp/judge -same                  # each module against itself, 100 pairs
//	go run ./workshop/judge -out /tmp/judge -slow 2,5,10           # each against itself, made slower by 2, 5 and 10 %
//
// Each archive in modules/ describes a module: its version, a package and a benchmark, and the
// function for -arena. If the module has no suitable benchmark, the archive contains one as a file,
// which is added to the module. Each module is fetched, copied to a folder below -out, and
// committed there. The output of fix is in NAME.json or NAME-arena.json beside that folder. Nothing
// else should run on the machine meanwhile.
package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("judge", flag.ContinueOnError)
	flags.SetOutput(stderr)
	out := flags.String("out", "", "`folder` for the copies and the reports")
	arena := flags.Bool("arena", false, "run coppice fix -arena, where a function is named for it")
	same := flags.Bool("same", false, "run coppice prove with two commits that differ by a comment, and keep the CPU times in NAME.jsonl")
	slow := flags.String("slow", "", "run coppice prove with operations that take these `percents` more CPU time, such as 2,5,10")
	only := flags.Bool("n", false, "make the copies, and print the commands")
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: judge -out FOLDER [-arena | -same | -slow PERCENTS] [-n] [MODULE...]")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return 2
	}
	modules, err := read(flags.Args())
	if err == nil && *out == "" {
		err = errors.New("no -out; try: go run ./workshop/judge -out /tmp/judge")
	}
	percents, wrong := percentList(*slow)
	err = cmp.Or(err, wrong)
	if err == nil && b2i(*arena)+b2i(*same)+b2i(*slow != "") > 1 {
		err = errors.New("-arena, -same and -slow are mutually exclusive")
	}
	if err != nil {
		fmt.Fprintln(stderr, "judge:", err)
		return 2
	}
	j := judge{out: *out, arena: *arena, stderr: stderr}
	if err := j.build(ctx); err != nil {
		fmt.Fprintln(stderr, "judge:", err)
		return 1
	}
	failed := false
	judge, title := j.judge, head
	switch {
	case *same:
		judge, title = j.compareCopy, ""
	case *slow != "":
		judge, title = func(ctx context.Context, m module, only bool) (string, error) { return j.slow(ctx, m, percents, only) }, slowHead
	}
	if !*only {
		fmt.Fprint(stdout, title)
	}
	for _, m := range modules {
		if *arena && m.arena == "" {
			continue
		}
		row, err := judge(ctx, m, *only)
		if row != "" {
			fmt.Fprintln(stdout, row)
		}
		if err != nil {
			failed = true
			fmt.Fprintf(stderr, "judge: %s: %v\n", m.name, err)
		}
	}
	if failed {
		return 1
	}
	return 0
}

// percentList parses the value of -slow. It returns no percentages for "".
func percentList(text string) (all []int, err error) {
	if text == "" {
		return nil, nil
	}
	for _, word := range strings.Split(text, ",") {
		percent, err := strconv.Atoi(word)
		if err != nil || percent < 1 || percent > 100 {
			return nil, fmt.Errorf("invalid -slow %s: must be percentages between 1 and 100, such as 2,5,10", text)
		}
		all = append(all, percent)
	}
	return all, nil
}

// A judge runs the program coppice in one module after another. It holds the path of the program
// and the output folder.
type judge struct {
	out, root string // absolute paths of the output folder and the repository
	coppice   string // path of the program
	arena     bool
	stderr    io.Writer
}

// build builds the program coppice from the repository that contains the current folder.
func (j *judge) build(ctx context.Context) (err error) {
	if j.out, err = filepath.Abs(j.out); err != nil {
		return err
	}
	if err := os.MkdirAll(j.out, 0o755); err != nil {
		return err
	}
	file, err := output(ctx, ".", "go", "env", "GOWORK")
	if err != nil {
		return err
	}
	if j.root = filepath.Dir(string(bytes.TrimSpace(file))); j.root == "." {
		return errors.New("the current folder is not in a clone of coppice")
	}
	j.coppice = filepath.Join(j.out, "coppice")
	_, err = output(ctx, filepath.Join(j.root, "cmd"), "go", "build", "-o", j.coppice, "./coppice")
	return err
}

// judge runs coppice fix in one module and returns its row of the table, even if the run ends
// without a report. If the parameter only is true, judge does not run coppice fix, and returns the
// command for it.
func (j *judge) judge(ctx context.Context, m module, only bool) (string, error) {
	fmt.Fprintf(j.stderr, "%s: a copy\n", m.name)
	folder, err := j.copy(ctx, m)
	if err != nil {
		return "", err
	}
	args, report := []string{"fix", "-json", "-bench", m.bench, m.pkg}, filepath.Join(j.out, m.name+".json")
	if j.arena {
		args, report = slices.Insert(args, 1, "-arena", m.arena), filepath.Join(j.out, m.name+"-arena.json")
	}
	if only {
		return fmt.Sprintf("cd %s && %s %s", folder, j.coppice, quoted(args)), nil
	}
	file, err := os.Create(report)
	if err != nil {
		return "", err
	}
	defer file.Close()
	fmt.Fprintf(j.stderr, "%s: coppice %s\n", m.name, quoted(args))
	start := time.Now()
	cmd := exec.CommandContext(ctx, j.coppice, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, file, j.stderr
	failure := cmd.Run()
	took := time.Since(start)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	text, err := os.ReadFile(report)
	if err != nil {
		return "", err
	}
	if len(text) == 0 {
		return fmt.Sprintf("| %s | no report: %v | | | | | | %.0f s |", m.title(), failure, took.Seconds()), fmt.Errorf("coppice %s: %w", quoted(args), failure)
	}
	return row(m, text, took)
}

// output runs a command in the given folder and returns its output.
func output(ctx context.Context, folder string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = folder
	text, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return text, fmt.Errorf("%s: %v: %s", quoted(args), err, bytes.TrimSpace(exit.Stderr))
	}
	return text, err
}

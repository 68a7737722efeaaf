package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
)

// canonical is the run of plain `coppice lab`: the strategies that a Go programmer can choose
// from. It needs only Go and takes about a minute.
var canonical = []string{"binary-trees", "-contenders",
	"go naive,go naive GOGC=425,go buffered,go chunked,go pooled,go slab,go indexed,go flat,go unrolled"}

func lab(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) == 0 {
		return labRun(ctx, canonical, stdout, stderr)
	}
	switch args[0] {
	case "help", "-help", "--help", "-h":
		_, err := io.WriteString(stdout, help)
		return err
	case "list":
		return labList(args[1:], stdout)
	case "run":
		return labRun(ctx, args[1:], stdout, stderr)
	case "report":
		return labReport(args[1:], stdout)
	default:
		return usagef("coppice lab has no %q; it has list, run and report", args[0])
	}
}

// root returns the root of the checkout that contains the working directory.
func root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(mod), "module github.com/coppice-go/coppice\n") {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("the lab builds its contenders; run it in a checkout of Coppice")
		}
		dir = up
	}
}

func experiments() (string, []experiment.Experiment, error) {
	dir, err := root()
	if err != nil {
		return "", nil, err
	}
	all, err := experiment.Load(os.DirFS(dir))
	return dir, all, err
}

func labList(args []string, stdout io.Writer) error {
	switch {
	case len(args) == 0:
	case slices.Contains([]string{"-help", "--help", "-h"}, args[0]):
		_, err := io.WriteString(stdout, "usage: coppice lab list\n")
		return err
	case strings.HasPrefix(args[0], "-"):
		return usagef("coppice lab list has no flags, got %q", args[0])
	default:
		return usagef("coppice lab list takes no arguments, got %q", args[0])
	}
	_, all, err := experiments()
	if err != nil {
		return err
	}
	var out strings.Builder
	for _, e := range all {
		fmt.Fprintf(&out, "%s: %s\n", e.Name, e.Title)
		for _, c := range e.Contenders {
			fmt.Fprintf(&out, "    %s (%s, %s)\n", c.Name, c.Language, c.Class)
		}
		for _, c := range e.Claims {
			fmt.Fprintf(&out, "  claim %s: %s\n", c.ID, c.What)
		}
	}
	_, err = io.WriteString(stdout, out.String())
	return err
}

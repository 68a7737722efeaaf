package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
)

// canonical is the run of plain `coppice lab`: the strategies that a Go programmer can choose
// from. It needs only Go and takes about a minute.
var canonical = []string{"binary-trees", "-contenders",
	"go naive,go naive GOGC=425,go buffered,go chunked,go pooled,go slab,go indexed,go flat,go unrolled"}

func lab(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) == 0 {
		return labCanonical(ctx, stdout, stderr)
	}
	switch args[0] {
	case "help", "-help", "--help", "-h":
		_, err := io.WriteString(stdout, help)
		return err
	case "list":
		return labList(args[1:], stdout)
	case "run":
		return labRun(ctx, args[1:], stdout, stderr)
	case "plan":
		return labPlan(ctx, args[1:], stdout)
	case "report":
		return labReport(args[1:], stdout)
	case "diff":
		return labDiff(args[1:], stdout)
	case "merge":
		return labMerge(args[1:], stdout)
	case "export":
		return labExport(args[1:], stdout)
	default:
		return usagef("coppice lab has no %q; it has list, run, plan, report, diff, merge and export", args[0])
	}
}

// labCanonical runs what only a checkout of Coppice has.
func labCanonical(ctx context.Context, stdout, stderr io.Writer) error {
	dir, err := root()
	if err != nil {
		return err
	}
	if !isOurs(dir) {
		return usagef("the canonical run measures programs of Coppice and needs a checkout of it; here you can run your own: " +
			"coppice lab list names the experiments of this repository, and coppice lab report DIR shows saved results")
	}
	return labRun(ctx, canonical, stdout, stderr)
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
			fmt.Fprintf(&out, "    %s (%s)\n", c.Name, strings.TrimPrefix(c.Language+", "+c.Class, ", "))
		}
		for _, c := range e.Claims {
			fmt.Fprintf(&out, "  claim %s: %s\n", c.ID, c.What)
		}
	}
	_, err = io.WriteString(stdout, out.String())
	return err
}

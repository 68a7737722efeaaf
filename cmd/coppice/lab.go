package main

import (
	"context"
	"io"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
	"github.com/coppice-go/coppice/cmd/coppice/internal/lab"
	"github.com/coppice-go/coppice/cmd/internal/nearest"
)

// labAlone implements coppice lab without a subcommand, which performs the canonical run.
func labAlone(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) == 0 {
		return lab.Canonical(ctx, stdout, stderr)
	}
	if aliases[args[0]] == "help" || args[0] == "help" {
		return printHelp("lab", stdout)
	}
	known := subcommands("lab")
	return cli.Usagef("unknown command coppice lab %q; %sthe commands are %s", args[0], nearest.Hint(args[0], known), cli.Sentence(known))
}

// Package lab implements coppice lab, with a file for each of its commands.
package lab

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
)

// canonical holds the arguments with which plain `coppice lab` calls coppice lab run. They select
// the strategies that a Go programmer can choose from. The run needs only Go and takes about a
// minute.
var canonical = []string{"binary-trees", "-contenders",
	"go naive,go naive GOGC=425,go buffered,go chunked,go pooled,go slab,go indexed,go flat,go unrolled"}

// Canonical runs the canonical experiment, which only a checkout of Coppice contains.
func Canonical(ctx context.Context, stdout, stderr io.Writer) error {
	dir, err := root()
	if err != nil {
		return err
	}
	if !isOurs(dir) {
		return cli.Usagef("coppice lab measures the programs of Coppice, and needs a checkout of it; for programs of your own, " +
			"coppice lab list prints the experiments of this repository, and coppice lab report DIR shows saved results")
	}
	return Run(ctx, canonical, stdout, stderr)
}

const listUsage = "usage: coppice lab list [-json]\n\nIt prints the experiments of this repository with their contenders and claims.\n"

// listed is an experiment in the output of coppice lab list -json.
type listed struct {
	Name       string            `json:"name"`
	Title      string            `json:"title"`
	Contenders []listedContender `json:"contenders"`
	Claims     []listedClaim     `json:"claims"`
}

type listedContender struct {
	Name     string `json:"name"`
	Language string `json:"language"`
	Class    string `json:"class"`
}

type listedClaim struct {
	ID   string `json:"id"`
	What string `json:"what"`
}

// List implements coppice lab list, which prints the experiments, their contenders and the claims
// about them.
func List(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("coppice lab list", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "print one JSON array")
	if err := cli.ParseFlags(flags, listUsage, args, stdout); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return cli.Usagef("coppice lab list takes no arguments, got %q", flags.Arg(0))
	}
	_, all, err := experiments()
	if err != nil {
		return err
	}
	var list []listed
	for _, e := range all {
		l := listed{Name: e.Name, Title: e.Title, Contenders: []listedContender{}, Claims: []listedClaim{}}
		for _, c := range e.Contenders {
			l.Contenders = append(l.Contenders, listedContender{c.Name, c.Language, c.Class})
		}
		for _, c := range e.Claims {
			l.Claims = append(l.Claims, listedClaim{c.ID, c.What})
		}
		list = append(list, l)
	}
	if *asJSON {
		return cli.WriteJSON(stdout, list)
	}
	var out strings.Builder
	for _, l := range list {
		fmt.Fprintf(&out, "%s: %s\n", l.Name, l.Title)
		for _, c := range l.Contenders {
			fmt.Fprintf(&out, "    %s (%s)\n", c.Name, strings.TrimPrefix(c.Language+", "+c.Class, ", "))
		}
		for _, c := range l.Claims {
			fmt.Fprintf(&out, "  claim %s: %s\n", c.ID, c.What)
		}
	}
	_, err = io.WriteString(stdout, out.String())
	return err
}

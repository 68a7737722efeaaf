package main

import (
	"flag"
	"io"
	"strings"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
	"github.com/coppice-go/coppice/cmd/internal/flatbegin"
)

const beginUsage = `usage: coppice flat begin -type TYPE [flags] PACKAGE

For trees whose root is a TYPE of PACKAGE, it writes to a new folder: a schema, the package that
coppice flat generates from it, a converter from the type, and REMAINS.md, which lists what is left
out and shows the hottest readers rewritten with views. PACKAGE may be in a module that yours
requires. Nothing else changes. docs/remedies/flat.md has an example.

`

func flatBegin(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("coppice flat begin", flag.ContinueOnError)
	o := flatbegin.Options{Dir: "."}
	flags.StringVar(&o.Type, "type", "", "the `type` of the root: a struct, or an interface of structs")
	flags.StringVar(&o.Out, "out", "", "write to this new `folder` (default: the name of the type in lower case)")
	link := flags.String("link", "", "comma-separated `fields`, such as Type.Field, that point to values held by other fields")
	leave := flags.String("leave", "", "comma-separated `fields` to leave out")
	bits := flags.String("bits", "", "`widths` of integers in bits, such as Type.Field=24; the converter rejects larger values")
	flags.BoolVar(&o.Share, "share", false, "allow values with several parents")
	readers := flags.String("readers", "./...", "comma-separated `packages` that read the trees")
	flags.StringVar(&o.Profile, "profile", "", "CPU profile `file` that shows which functions read most")
	flags.BoolVar(&o.Again, "again", false, "overwrite the files of an earlier run; changes to them are lost")
	if err := cli.ParseFlags(flags, beginUsage, args, stdout); err != nil {
		return err
	}
	found, err := cli.Packages(flags, ".")
	if err != nil {
		return err
	}
	if len(found) != 1 {
		return cli.Usagef("coppice flat begin takes one package, got %d", len(found))
	}
	if o.Type == "" {
		return cli.Usagef("no root type given; try: coppice flat begin -type Node PACKAGE")
	}
	o.Package, o.Link, o.Leave, o.Readers = found[0], splitList(*link), splitList(*leave), splitList(*readers)
	o.Bits = splitList(*bits)
	return flatbegin.Begin(o, stdout)
}

// splitList splits a list at commas and spaces.
func splitList(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

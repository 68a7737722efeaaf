package main

import (
	"flag"
	"io"
	"strings"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
	"github.com/coppice-go/coppice/cmd/internal/flatbegin"
)

const beginUsage = `usage: coppice flat begin -type TYPE [flags] PACKAGE

It writes, for trees whose root is a TYPE of PACKAGE, in a new folder: a schema, the package that
coppice flat makes of it, a converter from the type, and REMAINS.md, which says what is left out and
shows how the hottest readers look by views. PACKAGE may be one of a module that yours requires.
Nothing else changes. docs/remedies/flat.md shows it.

`

func flatBegin(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("coppice flat begin", flag.ContinueOnError)
	o := flatbegin.Options{Dir: "."}
	flags.StringVar(&o.Type, "type", "", "the `type` of the root: a struct, or an interface of structs")
	flags.StringVar(&o.Out, "out", "", "write to this new `folder`; default is the name of the type in lower case")
	link := flags.String("link", "", "`fields`, as Type.Field,Type.Field, that lead to values which other fields hold")
	leave := flags.String("leave", "", "`fields` to leave out")
	bits := flags.String("bits", "", "`numbers` of bits of integers, as Type.Field=24; the converter refuses what does not fit")
	flags.BoolVar(&o.Share, "share", false, "a value may have several parents")
	readers := flags.String("readers", "./...", "`packages` that read the trees, with commas between them")
	flags.StringVar(&o.Profile, "profile", "", "a CPU profile in this `file` says which functions read most")
	flags.BoolVar(&o.Again, "again", false, "write the files of an earlier run again; what was changed in them is lost")
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
		return cli.Usagef("coppice flat begin needs the type of the root: -type Node")
	}
	o.Package, o.Link, o.Leave, o.Readers = found[0], words(*link), words(*leave), words(*readers)
	o.Bits = words(*bits)
	return flatbegin.Begin(o, stdout)
}

// words are what commas separate.
func words(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

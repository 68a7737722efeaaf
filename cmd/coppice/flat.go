package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/coppice-go/coppice/cmd/internal/flatexport"
	"github.com/coppice-go/coppice/cmd/internal/flatgen"
	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/forest"
)

const flatHelp = `coppice flat generates a package of flat trees from Go declarations; docs/FLAT.md is the manual.

usage: coppice flat [-out DIR] [-cpp FILE.hpp] [-check] [PACKAGE...]
       coppice flat dump FILE
       coppice flat export -out DIR FILE...

  -out DIR    write the package to this folder; the default is NAMEflat beside the schema
  -cpp FILE   also write a C++20 header that reads and writes the same files
  -check      write nothing; exit with 1 if the generated files are missing or out of date
  dump FILE   print the nodes of a file of flat trees or of a forest, of any schema
  export -out DIR FILE...
              write the trees of files and forests as Parquet tables; docs/CORPORA.md
              describes them and shows queries
`

func flatTrees(args []string, stdout io.Writer) error {
	if len(args) > 0 && args[0] == "dump" {
		return flatDump(args[1:], stdout)
	}
	if len(args) > 0 && args[0] == "export" {
		return flatExport(args[1:], stdout)
	}
	flags := flag.NewFlagSet("flat", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	o := flatgen.Options{Dir: "."}
	flags.StringVar(&o.Out, "out", "", "")
	flags.StringVar(&o.Cpp, "cpp", "", "")
	flags.BoolVar(&o.Check, "check", false, "")
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) || len(args) > 0 && args[0] == "help" {
		_, err := io.WriteString(stdout, flatHelp)
		return err
	}
	if err != nil {
		return usagef("%v; coppice flat -help lists the flags", err)
	}
	if ext := filepath.Ext(o.Cpp); o.Cpp != "" && ext != ".hpp" && ext != ".hh" && ext != ".h" {
		return usagef("-cpp %q is no header; give it a name that ends in .hpp, .hh or .h", o.Cpp)
	}
	o.Patterns = flags.Args()
	if len(o.Patterns) == 0 {
		o.Patterns = []string{"."}
	}
	return flatgen.Generate(o)
}

func flatDump(args []string, stdout io.Writer) error {
	if len(args) != 1 {
		return usagef("coppice flat dump takes one file, got %d arguments", len(args))
	}
	// Dump visits each record once, so neither deep nor shared trees need a limit.
	limits := flat.LoadLimits{MaxDepth: math.MaxInt, MaxWalk: math.MaxInt}
	is, err := flatexport.IsForest(args[0])
	if err != nil {
		return err
	}
	if is {
		return dumpForest(args[0], limits, stdout)
	}
	file, err := os.Open(args[0])
	if err != nil {
		return err
	}
	defer file.Close()
	t, err := flat.ReadAny(file, limits)
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	return t.Dump(stdout)
}

// dumpForest prints each tree after its number and its name. Offsets of records are those in a file of the tree alone.
func dumpForest(path string, limits flat.LoadLimits, stdout io.Writer) error {
	r, err := forest.OpenAny(path, limits)
	if err != nil {
		return err
	}
	defer r.Close()
	for item, err := range r.All {
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "tree %d, %q: ", item.Index, item.Name)
		if err := item.Tree.Clone().Dump(stdout); err != nil {
			return err
		}
	}
	return nil
}

func flatExport(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("flat export", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	out := flags.String("out", "", "")
	if err := flags.Parse(args); err != nil {
		return usagef("%v; coppice flat -help lists the flags", err)
	}
	if *out == "" || flags.NArg() == 0 {
		return usagef("coppice flat export needs -out DIR and then files")
	}
	totals, err := flatexport.Export(flags.Args(), *out)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "%d trees with %d nodes in %d tables\n", totals.Trees, totals.Nodes, totals.Tables)
	return err
}

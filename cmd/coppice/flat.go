package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/coppice-go/coppice/cmd/internal/flatgen"
	"github.com/coppice-go/coppice/flat"
)

const flatHelp = `coppice flat generates a package of flat trees from Go declarations; docs/FLAT.md is the manual.

usage: coppice flat [-out DIR] [-cpp FILE.hpp] [-check] [PACKAGE...]
       coppice flat dump FILE

  -out DIR    write the package to this folder; the default is NAMEflat beside the schema
  -cpp FILE   also write a C++20 header that reads and writes the same files
  -check      write nothing; exit with 1 if the generated files are missing or out of date
  dump FILE   print the nodes of a file of flat trees, of any schema
`

func flatTrees(args []string, stdout io.Writer) error {
	if len(args) > 0 && args[0] == "dump" {
		return flatDump(args[1:], stdout)
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
	file, err := os.Open(args[0])
	if err != nil {
		return err
	}
	defer file.Close()
	// Dump visits each record once, so neither deep nor shared trees need a limit.
	t, err := flat.ReadAny(file, flat.LoadLimits{MaxDepth: math.MaxInt, MaxWalk: math.MaxInt})
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	return t.Dump(stdout)
}

package main

import (
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
	"github.com/coppice-go/coppice/cmd/internal/flatexport"
	"github.com/coppice-go/coppice/cmd/internal/flatgen"
	"github.com/coppice-go/coppice/cmd/internal/flatgen/cpp"
	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/forest"
)

const (
	flatUsage = `usage: coppice flat [flags] [PACKAGE...]          generate a package of flat trees from Go declarations (docs/FLAT.md)
       coppice flat begin -type TYPE PACKAGE   write a schema, a converter and a report from the types of a program
       coppice flat dump FILE                  print the nodes of a file of flat trees or of a forest
       coppice flat export -out DIR FILE...    write trees as Parquet tables (docs/CORPORA.md)
`
	dumpUsage = "usage: coppice flat dump FILE\n\nIt prints the nodes of a file of flat trees or of a forest, of any schema.\n"

	treesUsage = "usage: coppice flat export -out DIR FILE...\n\nIt writes the trees of files and forests as Parquet tables. docs/CORPORA.md has queries.\n"
)

func flatTrees(args []string, stdout io.Writer) error {
	if len(args) > 0 {
		if args[0] == "help" {
			args = []string{"-help"}
		}
		if err := nearCommand("flat", args[0]); err != nil {
			return err
		}
	}
	flags := flag.NewFlagSet("coppice flat", flag.ContinueOnError)
	o := flatgen.Options{Dir: "."}
	flags.StringVar(&o.Out, "out", "", "write the package to this `folder` (default: NAMEflat beside the schema)")
	flags.StringVar(&o.Cpp, "cpp", "", "also write a C++20 header for the same files to this `file`")
	alone := flags.Bool("alone", false, "with -cpp: write a header that does not include coppice_flat.hpp")
	flags.BoolVar(&o.Check, "check", false, "write nothing; exit with code 1 if generated files are missing or out of date")
	dry := flags.Bool("n", false, "write nothing; print which files would be written")
	err := cli.ParseFlags(flags, flatUsage, args, stdout)
	if err != nil {
		return err
	}
	if *dry {
		o.Say = stdout
	}
	if ext := filepath.Ext(o.Cpp); o.Cpp != "" && ext != ".hpp" && ext != ".hh" && ext != ".h" {
		return cli.Usagef("invalid -cpp %q: a header must end in .hpp, .hh or .h", o.Cpp)
	}
	if *alone && o.Cpp == "" {
		return cli.Usagef("-alone needs -cpp FILE.hpp")
	}
	if *alone {
		o.CppForm = cpp.Alone
	} else if filepath.Base(o.Cpp) == cpp.RuntimeName {
		return cli.Usagef("invalid -cpp %s: this is the name of the shared header; choose another", o.Cpp)
	}
	if o.Patterns, err = cli.Packages(flags, "."); err != nil {
		return err
	}
	return flatgen.Generate(o)
}

func flatDump(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("coppice flat dump", flag.ContinueOnError)
	if err := cli.ParseFlags(flags, dumpUsage, args, stdout); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return cli.Usagef("coppice flat dump takes one file, got %d arguments", flags.NArg())
	}
	name := flags.Arg(0)
	// Dump visits each record once, so neither deep nor shared trees need a limit.
	limits := flat.LoadLimits{MaxDepth: math.MaxInt, MaxWalk: math.MaxInt}
	is, err := flatexport.IsForest(name)
	if err != nil {
		return err
	}
	if is {
		return dumpForest(name, limits, stdout)
	}
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	t, err := flat.ReadAny(file, limits)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return t.Dump(stdout)
}

// dumpForest prints the trees of a forest file, each preceded by its index and name. Record offsets
// are the same as in a file that contains only this tree.
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

// exportGCPercent is the GOGC value during an export, unless the user sets GOGC. It is less than
// Go's default of 100, because an export keeps mostly pointer-free buffers. The collector does not
// scan these, so collecting more often costs almost nothing.
const exportGCPercent = 25

func flatExport(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("coppice flat export", flag.ContinueOnError)
	out := flags.String("out", "", "write the tables to this `folder`")
	if err := cli.ParseFlags(flags, treesUsage, args, stdout); err != nil {
		return err
	}
	if *out == "" || flags.NArg() == 0 {
		return cli.Usagef("coppice flat export needs a folder and files; try: coppice flat export -out DIR FILE...")
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(exportGCPercent)
	}
	totals, err := flatexport.Export(flags.Args(), *out)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "%d trees with %d nodes in %d tables\n", totals.Trees, totals.Nodes, totals.Tables)
	return err
}

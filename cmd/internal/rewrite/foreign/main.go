// Command foreign builds a program of the experiment workloads/foreign, which consists of our
// driver and a package that we did not write. It copies both to a folder, changes the copy of the
// package according to the rules in the driver's folder, and builds the copy. Run it in the root of
// the repository.
//
//	foreign -program html -form original|chunk|slab|arena -o FILE
//
// A driver may have additional forms. Each of them has a file changes/FORM.diff, which git apply
// applies to the copy of the module.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/rewrite/rules"
)

// original is the name of the form without changes.
const original = "original"

func main() {
	b, err := parse(os.Args[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Println("usage: foreign -program NAME -form FORM -o FILE, with a FORM of " + strings.Join(forms(), " "))
		return
	case err != nil:
		fmt.Fprintln(os.Stderr, "foreign:", err)
		os.Exit(2)
	}
	if err := b.run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "foreign:", err)
		os.Exit(1)
	}
}

func forms() []string {
	all := []string{original}
	for _, f := range rules.Forms {
		all = append(all, string(f))
	}
	return all
}

// parse parses the command line.
func parse(args []string) (build, error) {
	flags := flag.NewFlagSet("foreign", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	program := flags.String("program", "", "")
	form := flags.String("form", original, "")
	out := flags.String("o", "", "")
	if err := flags.Parse(args); err != nil {
		return build{}, err
	}
	if *program == "" || *out == "" || flags.NArg() > 0 {
		return build{}, errors.New("want -program NAME -form FORM -o FILE; -help lists the flags")
	}
	root, err := os.Getwd()
	if err != nil {
		return build{}, err
	}
	driver := filepath.Join(root, "workloads", "foreign", *program)
	if _, err := os.Stat(filepath.Join(driver, rulesFile)); err != nil {
		return build{}, fmt.Errorf("%w; run it in the root of a checkout of Coppice, with the name of a folder there", err)
	}
	if all := append(forms(), changes(driver)...); !slices.Contains(all, *form) {
		return build{}, fmt.Errorf("invalid -form %q: must be one of %s", *form, strings.Join(all, ", "))
	}
	file, err := filepath.Abs(*out)
	return build{driver: driver, folder: filepath.Join(root, "bin", "foreign", *program, *form), form: *form, out: file}, err
}

// Package arguments reads the command line of the small Go programs that the lab
// compares: flags, then one number.
package arguments

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
)

// Number parses the flags of the program and returns the only argument after them, a number from
// least to greatest. It calls Refuse for any other arguments. For -help it prints usage and
// the flags, and exits with code 0.
func Number(least, greatest int, usage string) int {
	n, err := parse(flag.CommandLine, os.Args[1:], least, greatest)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Println("usage: " + usage)
		flag.CommandLine.SetOutput(os.Stdout)
		flag.PrintDefaults()
		os.Exit(0)
	case err != nil:
		Refuse(err.Error(), fmt.Sprintf("%s, with a number from %d to %d", usage, least, greatest))
	}
	return n
}

// Refuse prints the error and the usage on one line, and exits with code 2.
func Refuse(what, usage string) {
	fmt.Fprintf(os.Stderr, "%s; usage: %s\n", what, usage)
	os.Exit(2)
}

func parse(flags *flag.FlagSet, args []string, least, greatest int) (int, error) {
	flags.Init(flags.Name(), flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	if err := flags.Parse(args); err != nil {
		return 0, err
	}
	if flags.NArg() != 1 {
		return 0, fmt.Errorf("%d arguments, want one", flags.NArg())
	}
	n, err := strconv.Atoi(flags.Arg(0))
	if err != nil || n < least || n > greatest {
		return 0, fmt.Errorf("invalid argument %q", flags.Arg(0))
	}
	return n, nil
}

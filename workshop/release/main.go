// Command release prepares a release of the six modules that are published for users: the library,
// flat, prom, the tools, the golangci-lint plugin and the workloads. All modules of a release have
// the same version and commit.
//
//	go run ./workshop/release -version v0.2.0          sets the version, commits and tags
//	go run ./workshop/release -version v0.2.0 -proxy DIR   writes the modules as a module proxy serves them
//	go run ./workshop/release -version v0.2.0 -binaries DIR   builds and packs the programs for each platform
//
// Each archive that -binaries writes contains LICENSE, and a NOTICE about the third-party code in
// the programs. With -proxy or -binaries, the command changes only DIR. To test a release before it
// is published, write it with -proxy and run the go command with GOPROXY=file://DIR.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// The exit codes of the command.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.SetOutput(stderr)
	version := flags.String("version", "", "the release, as v1.2.3")
	proxy := flags.String("proxy", "", "write the modules into this folder, as a proxy serves them, and nothing else")
	archives := flags.String("binaries", "", "build the programs and write an archive for each platform into this folder, and nothing else")
	targets := flags.String("platforms", platforms, "the platforms of -binaries")
	root := flags.String("root", ".", "the root of the repository")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return exitOK
	} else if err != nil {
		return exitUsage
	}
	if !semver.IsValid(*version) || semver.Canonical(*version) != *version || flags.NArg() > 0 {
		fmt.Fprintf(stderr, "release: invalid version %q; try: go run ./workshop/release -version v0.2.0\n", *version)
		return exitUsage
	}
	err := module.CheckPathMajor(*version, "")
	if err != nil {
		fmt.Fprintf(stderr, "release: %v: from v2 on, module paths must end in the major version\n", err)
		return exitUsage
	}
	list := strings.Split(*targets, ",")
	if wrong := wrongFlags(*proxy, *archives, *targets, list); wrong != "" {
		fmt.Fprintf(stderr, "release: %s\n", wrong)
		return exitUsage
	}
	switch {
	case *proxy != "":
		err = pack(*root, *version, *proxy)
	case *archives != "":
		err = binaries{root: *root, version: *version, out: *archives}.build(list)
	default:
		err = prepare(*root, *version, stdout)
	}
	if err != nil {
		fmt.Fprintf(stderr, "release: %v\n", err)
		return exitFailure
	}
	return exitOK
}

// wrongFlags returns an error message if the flags that select the output are invalid, and ""
// otherwise.
func wrongFlags(proxy, archives, targets string, list []string) string {
	switch {
	case proxy != "" && archives != "":
		return "-proxy and -binaries write different things; give one of them"
	case archives == "" && targets != platforms:
		return "-platforms is of -binaries; give -binaries DIR, too"
	}
	for _, target := range list {
		if system, machine, _ := strings.Cut(target, "/"); system == "" || machine == "" {
			return fmt.Sprintf("invalid -platforms %s: %q must be a system and a machine such as linux/amd64", targets, target)
		}
	}
	return ""
}

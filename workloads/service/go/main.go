// Command service measures the service of examples/service under load. It is a separate module,
// because of the load generator. The problem is in ../spec.md.
//
//	service -form before|after [-report FILE] DEPTH
//
// It starts itself again, with -load, as the process that sends the load.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/workloads/internal/arguments"
)

const usage = "service -form NAME DEPTH"

// Depths of the catalog.
const leastDepth, greatestDepth = 4, 22

func main() {
	form := flag.String("form", "", "which service: "+strings.Join(names(), ", "))
	report := flag.String("report", "", "write figures as JSON to this `file`")
	load := flag.String("load", "", "send the load to the service at this `address`, and print what came back as JSON")
	depth := arguments.Number(leastDepth, greatestDepth, usage)
	var err error
	switch {
	case *load != "":
		err = sendLoad(*load, 1<<depth, os.Stdout)
	case !slices.Contains(names(), *form):
		arguments.Refuse(fmt.Sprintf("no form %q; there are %s", *form, strings.Join(names(), ", ")), usage)
	default:
		err = measure(*form, depth, *report, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "service:", err)
		os.Exit(1)
	}
}

package measure

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/workloads/internal/arguments"
)

// peers is the folder, relative to the root of the repository, of the module that names the
// version of the documents.
const peers = "workloads/json/peers"

// GreatestDepth is the largest depth that a program accepts.
const GreatestDepth = 26

// Main is the main function of a program that runs one of the contenders.
func Main(program string, contenders []Contender) {
	var names []string
	names = slices.Grow(names, len(contenders))
	for _, c := range contenders {
		names = append(names, c.Name)
	}
	usage := program + " -strategy NAME [-report FILE] DEPTH, with a NAME of " + strings.Join(names, " ")
	strategy := flag.String("strategy", "", "how to keep the documents")
	report := flag.String("report", "", "write figures as JSON to this `file`")
	depth := arguments.Number(0, GreatestDepth, usage)
	for _, c := range contenders {
		if c.Name == *strategy {
			if err := solve(c, depth, *report); err != nil {
				fmt.Fprintf(os.Stderr, "%s: %v\n", program, err)
				os.Exit(1)
			}
			return
		}
	}
	arguments.Refuse(fmt.Sprintf("no strategy %q", *strategy), usage)
}

func solve(c Contender, depth int, report string) error {
	documents, err := Documents(peers)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	figures, err := Run(c, documents, depth, out)
	if err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return figures.Write(report)
}

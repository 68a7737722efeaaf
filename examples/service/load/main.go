// Command load sends searches to a service at a fixed rate, whether or not the service answers (an
// open loop), and prints the latencies of the answers.
//
//	go run ./examples/service/load -rate 500 -for 10s
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/coppice-go/coppice/examples/service/load/attack"
)

func main() {
	o := attack.Options{}
	flag.StringVar(&o.URL, "url", "http://localhost:8080/search", "the URL that searches are posted to")
	flag.IntVar(&o.Rate, "rate", 500, "searches per second")
	flag.DurationVar(&o.For, "for", 10*time.Second, "the duration of the load")
	flag.IntVar(&o.Goods, "goods", 1_000_000, "the number of goods in the catalog of the service")
	flag.Parse()
	if err := run(o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func run(o attack.Options, out io.Writer) error {
	result, err := attack.Run(o)
	if err != nil {
		return err
	}
	return result.Print(out)
}

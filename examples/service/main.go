// Command service is an HTTP service that looks up goods in a catalog: POST /search accepts a list
// of SKUs and a condition, as JSON. It has two forms: as usually written, and with containers and
// an arena.
//
//	go run ./examples/service -form before
//	go run ./examples/service -form after
//	go run ./examples/service/load -rate 500 -for 10s
//
// Package net/http/pprof is enabled: coppice find -heap http://localhost:8080 reads the profiles.
package main

import (
	"flag"
	"fmt"
	"net"
	"net/http"
	_ "net/http/pprof" // serves /debug/pprof/
	"os"

	"github.com/coppice-go/coppice/examples/service/after"
	"github.com/coppice-go/coppice/examples/service/before"
	"github.com/coppice-go/coppice/examples/service/shop"
)

// forms contains the constructor of each form of the service.
var forms = map[string]func([]shop.Goods) (http.Handler, func() error, error){"before": before.New, "after": after.New}

func main() {
	form := flag.String("form", "before", "the form of the service: before or after")
	address := flag.String("address", "localhost:8080", "the address to listen on; localhost:0 chooses a free port")
	goods := flag.Int("goods", 1_000_000, "the number of goods in the catalog")
	flag.Parse()
	if err := serve(*form, *address, *goods); err != nil {
		fmt.Fprintln(os.Stderr, "service:", err)
		os.Exit(1)
	}
}

func serve(form, address string, goods int) error {
	open := forms[form]
	if open == nil {
		return fmt.Errorf("invalid -form %q: must be before or after", form)
	}
	if goods < 1 {
		return fmt.Errorf("invalid -goods %d: must be at least 1", goods)
	}
	handler, closeIt, err := open(shop.Catalog(goods))
	if err != nil {
		return err
	}
	defer closeIt()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	http.Handle("/", handler)
	fmt.Println("service: listening on", listener.Addr())
	return http.Serve(listener, nil)
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/coppice-go/coppice/workloads/requests/go/catalog"
	"github.com/coppice-go/coppice/workloads/requests/go/service"
)

// maxBody is the maximum size of a sheet in bytes.
const maxBody = 1 << 20

func newServer(memory service.Memory) *http.Server {
	return &http.Server{
		Handler:     service.New(service.Options{Prices: catalog.New().Price, Memory: memory, MaxBody: maxBody}),
		ReadTimeout: 5 * time.Minute, // the load's time limit, because its process may be suspended
	}
}

// serve answers requests until it is interrupted.
func serve(j job, stdout io.Writer) error {
	listener, err := net.Listen("tcp", j.plan.Address)
	if err != nil {
		return err
	}
	server := newServer(j.memory)
	if _, err := fmt.Fprintf(stdout, "listening at %s; try: curl -d 'show x = 6 * 7;' %s/evaluate\n", listener.Addr(), listener.Addr()); err != nil {
		return err
	}
	interrupted, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	done := make(chan error, 1)
	go func() {
		<-interrupted.Done()
		done <- server.Shutdown(context.Background()) // waits for open requests to end
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-done
}

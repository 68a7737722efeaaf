package main

import (
	"fmt"
	"io"
	"net"

	"github.com/coppice-go/coppice/internal/machine"
	"github.com/coppice-go/coppice/workloads/internal/selfreport"
	"github.com/coppice-go/coppice/workloads/requests/go/corpus"
	"github.com/coppice-go/coppice/workloads/requests/go/load"
)

// These are the numbers of connections. The closed loop has enough connections to keep all
// processors busy, and the open loop has so many that hardly any request waits for a connection.
const (
	closedConnections = 8
	openConnections   = 64
)

// measure runs the service and its load, prints the checksums of the answers, and writes the
// report.
func measure(j job, stdout io.Writer) error {
	figures := selfreport.Report{}
	server := newServer(j.memory)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	stopped := make(chan error, 1)
	go func() { stopped <- server.Serve(listener) }()
	defer func() {
		server.Close() // the load process has ended, and closed its connections
		<-stopped
	}()
	j.plan.Address = listener.Addr().String()
	closed, open, err := loops(j.plan, figures)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "closed loop: %d answers, checksum %016x\nopen loop: %d answers, checksum %016x\n",
		closed.Requests, closed.Checksum, open.Requests, open.Checksum)
	if err != nil {
		return err
	}
	return figures.Write(j.report)
}

// loops sends every sheet once to warm the service up, then the load of both loops. Costs are
// measured in the closed loop, latencies in the open one.
func loops(p load.Plan, figures selfreport.Report) (closed, open load.Result, err error) {
	closedPlan, openPlan := p, p
	closedPlan.Rate, closedPlan.Connections = 0, closedConnections
	openPlan.Connections = openConnections

	warmup := closedPlan
	warmup.Requests = min(p.Requests, corpus.Count)
	if _, err := startLoad(warmup); err != nil {
		return closed, open, err
	}
	before, err := look()
	if err != nil {
		return closed, open, err
	}
	if closed, err = startLoad(closedPlan); err != nil {
		return closed, open, err
	}
	if err := before.addCosts(figures, closed); err != nil {
		return closed, open, err
	}
	if open, err = startLoad(openPlan); err != nil {
		return closed, open, err
	}
	figures["p50_s"], figures["p99_s"], figures["p999_s"], figures["max_s"] = open.P50, open.P99, open.P999, open.Max
	if usage, err := machine.OwnUsage(); err == nil && usage.PeakRSS > 0 {
		figures["rss"] = float64(usage.PeakRSS)
	}
	return closed, open, nil
}

package lab

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/coppice-go/coppice/cmd/internal/process/quiet"
)

// errBusy is wrapped in the error of a command that measured nothing because the machine was busy.
var errBusy = errors.New("nothing was measured")

// quiet waits until the machine is quiet, but not longer than o.wait. It returns the load, which is
// recorded with a session. Results in the repository are not measured on a busy machine, unless a
// flag allows it.
func (o options) quiet(ctx context.Context, stderr io.Writer) (map[string]string, error) {
	load := quiet.Wait(ctx, o.wait, func(l quiet.Load) {
		fmt.Fprintf(stderr, "coppice: waiting at most %v: %v\n", o.wait, l)
	})
	values := load.Values()
	if values == nil {
		values = map[string]string{}
	}
	switch {
	case ctx.Err() != nil:
		return nil, errors.New("interrupted; nothing was measured")
	case !load.Known && o.out != "":
		fmt.Fprintf(stderr, "coppice: %v; do not use the machine during the measurement\n", load)
	case load.Busy() && o.out != "" && !o.busy:
		return nil, fmt.Errorf("%v; %w: use -wait-for-quiet 10m to wait, or -busy to measure now and mark the results", load, errBusy)
	case load.Busy():
		fmt.Fprintf(stderr, "coppice: %v; the report notes this\n", load)
	}
	return values, nil
}

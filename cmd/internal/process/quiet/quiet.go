// Package quiet determines whether a machine is quiet enough to measure figures for publication,
// and waits until it is. It also determines from stored results whether the machine was quiet when
// they were measured.
//
// A machine is busy if, on average, more than half of its processors had work in the last minute,
// or have work now. Linux reports this in /proc/loadavg and /proc/stat; on other systems it is
// unknown.
package quiet

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Most is the maximum load per processor of a quiet machine.
const Most = 0.5

// These are the keys under which a Load is stored in the environment of a session.
const (
	LoadKey  = "load"     // the line of /proc/loadavg
	NowKey   = "load-now" // processors with work, in the second before
	CoresKey = "cores"
)

// These variables control how a Load is measured. Tests change them.
var (
	proc   = "/proc"
	window = time.Second // during which processors are watched
	watch  = sleep
	pause  = 5 * time.Second // between two looks
	doze   = sleep           // during a pause
	now    = time.Now
)

// Pretend makes this package read the load from the files loadavg and stat of a folder, without a
// pause. It is for tests.
func Pretend(folder string) { proc, window, pause = folder, time.Millisecond, time.Millisecond }

// A Load describes how busy a machine is.
type Load struct {
	Known   bool
	Average string  // the line of /proc/loadavg
	Minute  float64 // processes with work, on average of the last minute
	Now     float64 // processors with work, in a second
	Cores   int
}

// Look measures the load of the machine. It takes one second.
func Look(ctx context.Context) Load {
	l := Load{Average: Average(), Cores: runtime.NumCPU()}
	if n, _ := fmt.Sscan(l.Average, &l.Minute); n != 1 {
		return l
	}
	l.Known = true
	busy, all, ok := ticks()
	if !ok {
		return l
	}
	watch(ctx, window)
	if busyThen, allThen, ok := ticks(); ok && allThen > all {
		l.Now = float64(busyThen-busy) / float64(allThen-all) * float64(l.Cores)
	}
	return l
}

// Average returns the contents of /proc/loadavg, without the newline, or "" if the file cannot be
// read.
func Average() string {
	text, _ := os.ReadFile(filepath.Join(proc, "loadavg"))
	return strings.TrimSpace(string(text))
}

// ticks returns the busy time and the total time of all processors since the system started, in
// clock ticks.
func ticks() (busy, all uint64, ok bool) {
	text, err := os.ReadFile(filepath.Join(proc, "stat"))
	if err != nil {
		return 0, 0, false
	}
	var user, nice, system, idle, waiting, irq, softirq, steal uint64
	n, _ := fmt.Sscanf(string(text), "cpu %d %d %d %d %d %d %d %d", &user, &nice, &system, &idle, &waiting, &irq, &softirq, &steal)
	busy = user + nice + system + irq + softirq + steal
	return busy, busy + idle + waiting, n == 8
}

// Busy reports whether the load exceeds the maximum load of a quiet machine.
func (l Load) Busy() bool { return l.Known && l.greater() > l.limit() }

// kept is the weight of the old one-minute average in its next value. Linux updates the average
// every five seconds.
var kept = math.Exp(-5.0 / 60)

// Settled reports whether the machine is quiet now, and will still be quiet at the next update of
// its load average, even if all processors have work then. The next update matters because a
// command that begins now adds to the average that it reads.
func (l Load) Settled() bool {
	next := l
	next.Minute = kept*l.Minute + (1-kept)*float64(l.Cores)
	return !next.Busy()
}

// greater returns the greater of Minute and Now, because the machine is quiet only if both are
// small.
func (l Load) greater() float64 { return max(l.Minute, l.Now) }

func (l Load) limit() float64 { return Most * float64(l.Cores) }

// String describes the load, and the limit above which the machine is busy.
func (l Load) String() string {
	if !l.Known {
		return "this system does not report its load"
	}
	when := "of the last minute"
	if l.Now > l.Minute {
		when = "of this second"
	}
	return fmt.Sprintf("the load %s is %.1f on %d processors; a quiet machine has at most %.1f", when, l.greater(), l.Cores, l.limit())
}

// Values returns the keys and values with which a load is stored in results. Kept reads them.
func (l Load) Values() map[string]string {
	if !l.Known {
		return nil
	}
	return map[string]string{LoadKey: l.Average, NowKey: fmt.Sprintf("%.2f", l.Now)}
}

// Wait waits until the machine is quiet, for at most limit, and returns the last load. If it has
// to wait, it calls tell once.
func Wait(ctx context.Context, limit time.Duration, tell func(Load)) Load {
	return poll(ctx, limit, tell, func(l Load) bool { return !l.Busy() })
}

// Settle is like Wait, but waits until the machine is settled. A command that begins then finds a
// quiet machine.
func Settle(ctx context.Context, limit time.Duration, tell func(Load)) Load {
	return poll(ctx, limit, tell, Load.Settled)
}

// poll implements Wait and Settle. It measures the load until do returns true for the load, until
// the time limit has passed, or until ctx ends.
func poll(ctx context.Context, limit time.Duration, tell func(Load), do func(Load) bool) Load {
	end := now().Add(limit)
	l := Look(ctx)
	if !do(l) && limit > 0 {
		tell(l)
	}
	for !do(l) && now().Before(end) && ctx.Err() == nil {
		doze(ctx, min(pause, end.Sub(now())))
		l = Look(ctx)
	}
	return l
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

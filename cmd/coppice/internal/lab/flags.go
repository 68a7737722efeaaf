package lab

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"math/bits"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
)

// This file declares the flag.Value types of the lab's flags. Errors of package flag name the flag
// and its value, so the errors here only state which values are allowed.

// mostRuns and mostWorkers are the largest values that the flags accept.
const (
	mostRuns    = 10_000
	mostWorkers = 1_000_000
)

// A boundedInt is a flag.Value for an integer between lo and hi.
type boundedInt struct {
	to     *int
	lo, hi int
}

func (w *boundedInt) String() string {
	if w.to == nil {
		return "0"
	}
	return strconv.Itoa(*w.to)
}

func (w *boundedInt) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < w.lo || n > w.hi {
		return within(w.lo, w.hi)
	}
	*w.to = n
	return nil
}

// within returns the error for a number that is not between lo and hi.
func within(lo, hi int) error { return fmt.Errorf("must be between %d and %d", lo, hi) }

func wholeVar(flags *flag.FlagSet, to *int, name string, lo, hi, usual int, usage string) {
	*to = usual
	flags.Var(&boundedInt{to, lo, hi}, name, usage)
}

// A seed is a flag.Value for the seed of random numbers.
type seed struct{ to *uint64 }

func (s seed) String() string {
	if s.to == nil {
		return "0"
	}
	return strconv.FormatUint(*s.to, 10)
}

func (s seed) Set(text string) (err error) {
	if *s.to, err = strconv.ParseUint(text, 10, 64); err != nil {
		return fmt.Errorf("must be between 0 and %d", uint64(math.MaxUint64))
	}
	return nil
}

// A patience is a flag.Value for a waiting time.
type patience struct{ to *time.Duration }

func (p patience) String() string {
	if p.to == nil {
		return "0s"
	}
	return p.to.String()
}

func (p patience) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return errors.New("must be at least 0, such as 90s or 10m")
	}
	*p.to = d
	return nil
}

// items is a flag.Value for one or more comma-separated items, each of which is checked.
type items struct {
	to    *string
	check func(item string) error
}

func (l items) String() string {
	if l.to == nil {
		return ""
	}
	return *l.to
}

func (l items) Set(text string) error {
	all := cli.List(text)
	if len(all) == 0 {
		return errors.New("must have at least one value; leave out the flag for the default")
	}
	for _, item := range all {
		if err := l.check(item); err != nil {
			return fmt.Errorf("%q: %w", item, err)
		}
	}
	*l.to = text
	return nil
}

func anyText(string) error { return nil }

// wholes returns a check for items that must be integers between lo and hi.
func wholes(lo, hi int) func(string) error {
	return func(item string) error {
		n := 0
		return (&boundedInt{&n, lo, hi}).Set(item)
	}
}

// gogc checks a value of GOGC, because the runtime silently replaces an invalid value with 100.
func gogc(value string) error {
	if value == "off" || wholes(0, math.MaxInt32)(value) == nil {
		return nil
	}
	return fmt.Errorf("must be off or between 0 and %d", math.MaxInt32)
}

var bytesOfMemory = regexp.MustCompile(`^(\d+)(|B|KiB|MiB|GiB|TiB)$`)

// memlimit checks a value of GOMEMLIMIT, because the runtime aborts a program that is started with
// an invalid value.
func memlimit(value string) error {
	wrong := errors.New("must be off or a size such as 512MiB, in B, KiB, MiB, GiB or TiB")
	found := bytesOfMemory.FindStringSubmatch(value)
	switch {
	case value == "off":
		return nil
	case found == nil:
		return wrong
	}
	n, err := strconv.ParseInt(found[1], 10, 64)
	unit := strings.Index("BKMGT", (found[2] + "B")[:1])
	if err != nil || bits.Len64(uint64(n))+10*unit > 63 {
		return wrong
	}
	return nil
}

// A single is a flag.Value for one string, which is checked.
type single struct{ items }

func (s single) Set(text string) error {
	if err := s.check(text); err != nil {
		return err
	}
	*s.to = text
	return nil
}

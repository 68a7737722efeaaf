package profiles

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/google/pprof/profile"
)

// MaxSize is the maximum size in bytes of an uncompressed profile that ReadFile accepts. An exact
// heap profile with 26,000 stacks is 2 MB.
const MaxSize = 1 << 30

// ReadFile reads a profile from a file. It fails if the uncompressed profile exceeds MaxSize bytes.
func ReadFile(file string) (*profile.Profile, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return Parse(file, data, MaxSize)
}

// Parse parses a profile in pprof format, which may be compressed by gzip. It fails if the
// uncompressed profile exceeds limit bytes. An error is one line, which begins with name and states
// what to do.
func Parse(name string, data []byte, limit int64) (*profile.Profile, error) {
	buffer := buffers.Get().(*buffer)
	defer buffers.Put(buffer)
	plain, err := buffer.uncompressed(data, limit)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	p, err := profile.ParseUncompressed(plain)
	if err == nil {
		err = p.CheckValid()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: not a profile (%v); use a file that runtime/pprof or net/http/pprof wrote", name, err)
	}
	if len(p.Sample) > 0 && len(p.Function) == 0 {
		return nil, fmt.Errorf("%s: the profile has addresses but no function names; pass a profile that runtime/pprof wrote, or convert it with go tool pprof -proto and its binary", name)
	}
	return p, nil
}

// Negative reports whether a profile contains negative values, which the difference of two profiles
// may have.
func Negative(p *profile.Profile) bool {
	return slices.ContainsFunc(p.Sample, func(s *profile.Sample) bool {
		return slices.ContainsFunc(s.Value, func(v int64) bool { return v < 0 })
	})
}

// A buffer holds an uncompressed profile. Buffers are reused, because a profile is a hundred times
// as large as the data that is kept.
type buffer struct {
	gzip  gzip.Reader
	plain bytes.Buffer
}

var buffers = sync.Pool{New: func() any { return new(buffer) }}

// uncompressed uncompresses a profile of at most limit bytes. The result is valid until the next
// call; parsing copies what it needs.
func (b *buffer) uncompressed(data []byte, limit int64) ([]byte, error) {
	if !bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		switch {
		case len(data) == 0:
			return nil, errors.New("the profile is empty: the program probably exited before writing the profile; collect it again")
		case int64(len(data)) > limit:
			return nil, tooLarge(limit)
		case bytes.HasPrefix(data, []byte("heap profile: ")), bytes.HasPrefix(data, []byte("--- ")):
			return nil, errors.New("the profile is in text form; request it without debug=1")
		}
		return data, nil
	}
	if err := b.gzip.Reset(bytes.NewReader(data)); err != nil {
		return nil, cut(err)
	}
	b.plain.Reset()
	_, err := b.plain.ReadFrom(io.LimitReader(&b.gzip, limit+1))
	plain := b.plain.Bytes()
	switch {
	case err != nil:
		return nil, cut(err)
	case int64(len(plain)) > limit:
		return nil, tooLarge(limit)
	case len(plain) == 0:
		return nil, errors.New("the profile is empty: the program probably exited before writing the profile; collect it again")
	}
	return plain, nil
}

func cut(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return errors.New("the profile is truncated: the program probably had not finished writing it; collect it again")
	}
	return fmt.Errorf("the profile is damaged (%v); collect it again", err)
}

func tooLarge(limit int64) error {
	return fmt.Errorf("the profile exceeds the limit of %d MB uncompressed; collect a CPU profile for less time, or a heap profile with a higher runtime.MemProfileRate", limit>>20)
}

// column returns the index, in the profile, of the first sample type in names that the profile
// contains. It returns -1 if the profile contains none of them.
func column(p *profile.Profile, names ...string) int {
	for _, name := range names {
		for i, t := range p.SampleType {
			if t.Type == name {
				return i
			}
		}
	}
	return -1
}

// sampleTypes returns the sample types of a profile.
func sampleTypes(p *profile.Profile) []string {
	var all []string
	all = slices.Grow(all, len(p.SampleType))
	for _, t := range p.SampleType {
		all = append(all, t.Type)
	}
	return all
}

package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A source is a profile to read.
type source struct {
	name     string
	file     bool // the name is a file name that contains the labels
	labels   map[string]string
	instance string
	merged   bool // merged from many processes, so it has neither an instance nor ages
	kind     Kind
	from     string // folder in which it was found; empty if the file itself was named
	read     func(ctx context.Context) ([]byte, error)
}

// expand returns the sources that a name stands for. An error concerns only this name.
func (o *Options) expand(ctx context.Context, name string, kind Kind) ([]source, error) {
	scheme, rest, isURL := strings.Cut(name, "://")
	switch {
	case !isURL:
		return o.files(name)
	case scheme == "http" || scheme == "https":
		return o.endpoints(name, kind)
	case scheme == "pyroscope+http" || scheme == "pyroscope+https":
		return o.pyroscope(ctx, strings.TrimPrefix(scheme, "pyroscope+")+"://"+rest, kind)
	}
	return nil, fmt.Errorf("%s: unknown scheme %s; name a file, a folder, http://, https://, pyroscope+http:// or pyroscope+https://", name, scheme)
}

// files returns a source for a file, or for each file in a folder and its subfolders. The sources
// are sorted by instance, and then by name.
func (o *Options) files(name string) ([]source, error) {
	var all []source
	err := filepath.WalkDir(name, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if strings.HasPrefix(d.Name(), ".") && file != name {
			return nil
		}
		s := o.file(file)
		if file != name {
			s.from = name
		}
		all = append(all, s)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: the folder has no files; name one with profiles", name)
	}
	slices.SortFunc(all, func(a, b source) int {
		return cmp.Or(cmp.Compare(a.instance, b.instance), natural(a.name, b.name))
	})
	return all, nil
}

func (o *Options) file(file string) source {
	return source{name: file, file: true, instance: instance(file), read: func(context.Context) ([]byte, error) {
		info, err := os.Stat(file)
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s: not a regular file", file)
		}
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return o.limited(file, f)
	}}
}

// endpoints returns a source for a URL that names a profile. For any other URL, it returns sources
// for the profiles of the given kind that net/http/pprof serves.
func (o *Options) endpoints(name string, kind Kind) ([]source, error) {
	u, err := url.Parse(name)
	if err != nil {
		return nil, err
	}
	labels := fragmentLabels(u.Fragment)
	u.Fragment = ""
	all := []*url.URL{u}
	if !endpoint(u) {
		if strings.Trim(u.Path, "/") == "" {
			u.Path = "/debug/pprof"
		}
		all = nil
		if kind != CPU {
			all = append(all, u.JoinPath("allocs"))
		}
		if kind != Heap {
			all = append(all, u.JoinPath("profile"))
		}
	}
	var sources []source
	for _, u := range all {
		s := source{name: u.Redacted(), labels: maps.Clone(labels), instance: u.Host}
		s.read = func(ctx context.Context) ([]byte, error) {
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
			if err != nil {
				return nil, err
			}
			return o.send(request, s.name, waits(u))
		}
		times := 1
		if o.Times > 1 && u.Query().Get("seconds") == "" && !strings.HasSuffix(u.Path, "/profile") {
			times = o.Times
		}
		var before chan struct{} // closed after the previous reading; sources are read concurrently
		for range times {
			again, wait, done := s, before, make(chan struct{})
			again.read = func(ctx context.Context) ([]byte, error) {
				defer close(done)
				if wait != nil {
					select {
					case <-wait:
					case <-ctx.Done():
						return nil, ctx.Err()
					}
					select {
					case <-time.After(o.Every):
					case <-ctx.Done():
						return nil, ctx.Err()
					}
				}
				return s.read(ctx)
			}
			before = done
			sources = append(sources, again)
		}
	}
	return sources, nil
}

// waits returns the time for which an endpoint collects data before it answers. The default of
// net/http/pprof is 30 s.
func waits(u *url.URL) time.Duration {
	if seconds, err := strconv.ParseFloat(u.Query().Get("seconds"), 64); err == nil && seconds > 0 {
		return time.Duration(seconds * float64(time.Second))
	}
	if strings.HasSuffix(u.Path, "/profile") {
		return 30 * time.Second
	}
	return 0
}

// send sends a request and returns the body of the response. The response must arrive within
// o.Timeout plus the time for which the server collects data.
func (o *Options) send(request *http.Request, name string, collects time.Duration) ([]byte, error) {
	ctx, cancel := context.WithTimeout(request.Context(), o.Timeout+collects)
	defer cancel()
	response, err := o.Client.Do(request.WithContext(ctx))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, plain(err))
	}
	defer response.Body.Close()
	body, err := o.limited(name, response.Body)
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s%s", name, response.Status, firstLine(body))
	}
	return body, err
}

// plain removes the URL that package net/http adds to an error.
func plain(err error) error {
	if errors.Is(err, context.DeadlineExceeded) || os.IsTimeout(err) {
		return errors.New("no response in time; increase the timeout if the server is busy")
	}
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// firstLine returns the beginning of the body of an error response as one line, for an error
// message.
func firstLine(body []byte) string {
	const most = 200
	text := strings.Join(strings.Fields(string(body[:min(len(body), most)])), " ")
	if text == "" {
		return ""
	}
	return ": " + strings.ToValidUTF8(text, "")
}

// limited reads all of r. It fails if there are more than Options.MaxDownload bytes.
func (o *Options) limited(name string, r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, o.MaxDownload+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, plain(err))
	}
	if int64(len(data)) > o.MaxDownload {
		return nil, fmt.Errorf("%s: the profile exceeds the limit of %d MB; collect a CPU profile for less time, or a heap profile with a higher runtime.MemProfileRate", name, o.MaxDownload>>20)
	}
	return data, nil
}

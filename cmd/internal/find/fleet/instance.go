package fleet

import (
	"cmp"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/google/pprof/profile"
)

// instanceLabels are the labels that can name an instance, the most specific first.
var instanceLabels = []string{"instance", "pod", "hostname", "host"}

// number matches the date or number at the end of a file name, with its separator.
var number = regexp.MustCompile(`(^|[-_.])(\d{4}-?\d\d-?\d\d([T_-]?[\d:.-]*Z?)|\d+)$`)

// instance derives the name of a file's instance from the file name. It is used if no label names
// the instance.
func instance(file string) string {
	dir, base := filepath.Split(file)
	for _, ext := range []string{".gz", ".pb", ".pprof", ".prof"} {
		base = strings.TrimSuffix(base, ext)
	}
	return dir + number.ReplaceAllString(base, "")
}

// pathLabels returns the labels in a file's path: the path elements of the form name=value.
func pathLabels(file string) map[string]string {
	labels := map[string]string{}
	for _, element := range strings.Split(filepath.ToSlash(file), "/") {
		if name, value, ok := strings.Cut(element, "="); ok && name != "" {
			for _, ext := range []string{".gz", ".pb", ".pprof", ".prof"} {
				value = strings.TrimSuffix(value, ext)
			}
			if plain, err := url.PathUnescape(value); err == nil {
				value = plain
			}
			labels[name] = value
		}
	}
	return labels
}

// fragmentLabels returns the labels in the fragment of a URL, such as service=web,version=1.4.
func fragmentLabels(fragment string) map[string]string {
	labels := map[string]string{}
	for _, pair := range strings.Split(fragment, ",") {
		if name, value, ok := strings.Cut(pair, "="); ok && name != "" {
			labels[strings.TrimSpace(name)] = strings.TrimSpace(value)
		}
	}
	return labels
}

// sampleLabels returns the labels that have the same, single value in all samples.
func sampleLabels(p *profile.Profile) map[string]string {
	labels := map[string]string{}
	for i, s := range p.Sample {
		if i == 0 {
			for name, values := range s.Label {
				if len(values) == 1 {
					labels[name] = values[0]
				}
			}
		}
		for name, value := range labels {
			if got := s.Label[name]; len(got) != 1 || got[0] != value {
				delete(labels, name)
			}
		}
		if len(labels) == 0 {
			break
		}
	}
	return labels
}

// natural compares two names, with numbers in numerical order: heap-9 is less than heap-10.
func natural(a, b string) int {
	for a != "" && b != "" {
		da, db := digits(a), digits(b)
		if da > 0 && db > 0 {
			na, nb := strings.TrimLeft(a[:da], "0"), strings.TrimLeft(b[:db], "0")
			if c := cmp.Or(cmp.Compare(len(na), len(nb)), cmp.Compare(na, nb)); c != 0 {
				return c
			}
			a, b = a[da:], b[db:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

// digits returns the number of leading digits in s.
func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// endpoint reports whether a URL names a single profile.
func endpoint(u *url.URL) bool {
	p := path.Clean("/" + u.Path)
	return p != "/" && path.Base(p) != "pprof"
}

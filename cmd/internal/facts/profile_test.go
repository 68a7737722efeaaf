package facts

import (
	"os"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/coppice-go/coppice/cmd/internal/goroot"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// read reads a heap profile and returns its sites. A site is the first frame outside the standard
// library, or the innermost frame if all are inside.
func read(t *testing.T, file string) []*site.Site {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	type key struct{ place, leaf site.Place }
	of := map[key]*site.Site{}
	var all []*site.Site
	for _, sample := range p.Sample {
		var k key
		for i, frame := range frames(sample) {
			if i == 0 {
				k.leaf = frame
			}
			if k.place = frame; !goroot.Has(frame.Package) {
				break
			}
		}
		if goroot.Has(k.place.Package) {
			k.place = k.leaf
		}
		s := of[k]
		if s == nil {
			s = &site.Site{Place: k.place}
			if k.leaf != k.place {
				s.Leaf = &k.leaf
			}
			of[k] = s
			all = append(all, s)
		}
		s.Objects += float64(sample.Value[0])
		s.Bytes += float64(sample.Value[1])
	}
	return all
}

// frames returns the frames of a sample, innermost first.
func frames(sample *profile.Sample) (all []site.Place) {
	for _, l := range sample.Location {
		for _, at := range l.Line {
			name := at.Function.Name
			dot := strings.LastIndex(name, "/") + 1
			if bracket := strings.Index(name, "["); bracket >= 0 {
				dot = strings.LastIndex(name[:bracket], "/") + 1
			}
			path, function, _ := strings.Cut(name[dot:], ".")
			path = strings.ReplaceAll(name[:dot]+path, "%2e", ".")
			all = append(all, site.Place{Package: path, Function: function, File: at.Function.Filename, Line: int(at.Line)})
		}
	}
	return all
}

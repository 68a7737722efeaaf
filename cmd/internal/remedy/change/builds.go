package change

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// A build contains a request's package as loaded with build settings other than the current ones.
// With these settings, a name may denote a different constant, type, method or builtin.
type build struct {
	name string
	pkg  *packages.Package
}

// plain returns the package with the given path, without its tests, from the packages of a build,
// or nil if the package is missing or does not compile.
func plain(loaded []*packages.Package, path string) *packages.Package {
	for _, p := range loaded {
		if p.PkgPath == path && p.ForTest == "" && len(p.Errors) == 0 {
			return p
		}
	}
	return nil
}

// everyBuild makes the change for the sites that can be changed in all builds that include the
// site's file. It returns a Refused error if there are no such sites, or if the edits would differ
// in a build.
func (r Request) everyBuild(ctx context.Context) (*Change, error) {
	var left []string
	for {
		c, err := r.makeCurrent()
		if err != nil {
			return nil, err
		}
		around, err := r.Around()
		if err != nil {
			return nil, err
		}
		other := map[*site.Site]string{}
		for _, b := range around.others {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if err := r.compare(b, c, other); err != nil {
				return nil, err
			}
		}
		if len(other) == 0 {
			c.Left = append(c.Left, left...)
			return c, nil
		}
		for _, s := range r.Sites {
			if why, ok := other[s]; ok {
				left = append(left, placed(s, why))
			}
		}
		r.Sites = slices.DeleteFunc(slices.Clone(r.Sites), func(s *site.Site) bool { _, ok := other[s]; return ok })
		if len(r.Sites) == 0 {
			return nil, Refused{left[0]}
		}
	}
}

// compare makes the change in a different build. It records the sites that are left unchanged in
// that build, and returns a Refused error if the edits of the other sites would differ.
func (r Request) compare(b build, c *Change, other map[*site.Site]string) error {
	here, there := r, r
	here.Sites, there.Sites = nil, nil
	there.Package = b.pkg
	for _, s := range c.changed {
		if file := b.file(s.Facts.Expr.File); file != "" {
			here.Sites, there.Sites = append(here.Sites, s), append(there.Sites, s.In(file))
		}
	}
	if len(here.Sites) == 0 {
		return nil
	}
	made, err := there.makeCurrent()
	var not Refused
	if err != nil && !errors.As(err, &not) {
		return err
	}
	same := true
	for i, s := range here.Sites {
		if made != nil && slices.Contains(made.changed, there.Sites[i]) {
			continue
		}
		same = false
		why := not.Why
		if made != nil {
			why = cmp.Or(made.stays[there.Sites[i]], "it stays as it is")
		}
		other[s] = fmt.Sprintf("in the build with %s, %s", b.name, why)
	}
	if !same {
		return nil
	}
	if len(here.Sites) < len(c.changed) {
		if c, err = here.makeCurrent(); err != nil {
			return err
		}
	}
	return b.checkSame(c, made)
}

// checkSame returns a Refused error if made, which is the change in this build, differs from c,
// which is the change in the current build. It compares only the files that this build includes.
func (b build) checkSame(c, made *Change) error {
	here, err := c.apply()
	if err != nil {
		return err
	}
	there, err := made.apply()
	if err != nil {
		return err
	}
	want := map[string][]byte{}
	for name, data := range here {
		file := b.file(name)
		if file == "" && slices.Contains(c.Edits.Created(), name) {
			file = filepath.Join(filepath.Dir(b.pkg.GoFiles[0]), filepath.Base(name))
		}
		if file != "" {
			want[file] = data
		}
	}
	if !maps.EqualFunc(want, there, bytes.Equal) {
		return Refusef("in the build with %s, the change would be different", b.name)
	}
	return nil
}

// file returns the name that a file has in a build, or "" if the build does not include the file.
func (b build) file(name string) string {
	for _, own := range b.pkg.GoFiles {
		if own == name || filepath.Base(own) == filepath.Base(name) && real(own) == real(name) {
			return own
		}
	}
	return ""
}

// real returns the name of a file with symbolic links resolved.
func real(name string) string {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return real
	}
	return name
}

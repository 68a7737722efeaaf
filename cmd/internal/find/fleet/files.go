package fleet

import (
	"path"
	"path/filepath"

	"github.com/coppice-go/coppice/cmd/internal/find/profiles"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// files maps each source file of a package to a single name. Binaries that were built in two
// folders, or with -trimpath, have different names for the same file, but each line of the file
// must be a single site. The first name found is used for all binaries.
type files map[sourceFile]string

// A sourceFile identifies a source file. For package main, importPath includes the folder, because
// many packages are named main.
type sourceFile struct{ importPath, base string }

// rename replaces the file names in a digest with the common names.
func (f files) rename(d *digest) {
	if d.heap != nil {
		renamed := make(map[profiles.Key]profiles.Objects, len(d.heap.Sites))
		for k, o := range d.heap.Sites {
			sum := renamed[f.key(k)]
			sum.Add(o, 1)
			renamed[f.key(k)] = sum
		}
		d.heap.Sites = renamed
	}
	if d.cpu != nil {
		renamed := make(map[profiles.Key]int, len(d.cpu.Malloc))
		for k, n := range d.cpu.Malloc {
			renamed[f.key(k)] += n
		}
		d.cpu.Malloc = renamed
	}
}

func (f files) key(k profiles.Key) profiles.Key {
	return profiles.Key{Place: f.place(k.Place), Leaf: f.place(k.Leaf)}
}

func (f files) place(p site.Place) site.Place {
	if p.File == "" {
		return p
	}
	slashed := filepath.ToSlash(p.File)
	of := sourceFile{p.Package, path.Base(slashed)}
	if p.Package == "main" {
		of.base = path.Join(path.Base(path.Dir(slashed)), of.base)
	}
	if known, ok := f[of]; ok {
		p.File = known
	} else {
		f[of] = p.File
	}
	return p
}

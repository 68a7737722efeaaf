package gobench

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// inputs contains the output of go list about the source files of a package.
type inputs struct {
	ImportPath, Dir                             string
	Standard                                    bool
	GoFiles, CgoFiles, CFiles, CXXFiles, HFiles []string
	SFiles, SysoFiles, EmbedFiles               []string
	TestGoFiles, XTestGoFiles                   []string
	TestEmbedFiles, XTestEmbedFiles             []string
}

// Sources returns a hash of all files from which the test binary of a package is built, and of the
// package's testdata. Unlike a hash of the binary, it does not depend on the location of the tree.
// Binaries are not built with -trimpath, which would remove the location, because benchmarks could
// then not find files by runtime.Caller.
func (t *Tree) Sources(ctx context.Context, path string) (string, error) {
	out, err := t.Go(ctx, "list", "-deps", "-test", "-json=ImportPath,Dir,Standard,GoFiles,CgoFiles,CFiles,CXXFiles,HFiles,"+
		"SFiles,SysoFiles,EmbedFiles,TestGoFiles,XTestGoFiles,TestEmbedFiles,XTestEmbedFiles", "--", path)
	if err != nil {
		return "", err
	}
	packages, err := Decode[inputs](out)
	if err != nil {
		return "", fmt.Errorf("go list in %s: %w", t.Name, err)
	}
	elsewhere := t.Settings
	elsewhere.GOROOT = ""
	h := sha256.New()
	if err := json.NewEncoder(h).Encode(elsewhere); err != nil {
		return "", err
	}
	for _, p := range packages {
		if p.Standard {
			continue
		}
		names := slices.Concat(p.GoFiles, p.CgoFiles, p.CFiles, p.CXXFiles, p.HFiles, p.SFiles, p.SysoFiles, p.EmbedFiles)
		if p.ImportPath == path {
			names = slices.Concat(names, p.TestGoFiles, p.XTestGoFiles, p.TestEmbedFiles, p.XTestEmbedFiles)
			if names, err = withTestdata(p.Dir, names); err != nil {
				return "", err
			}
		}
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			if filepath.IsAbs(name) {
				continue // made by the go command
			}
			sum, err := HashFile(filepath.Join(p.Dir, name))
			if err != nil {
				return "", err
			}
			fmt.Fprintf(h, "%s %s %s\n", p.ImportPath, name, sum)
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// withTestdata appends the names of the files below testdata to names.
func withTestdata(dir string, names []string) ([]string, error) {
	err := filepath.WalkDir(filepath.Join(dir, "testdata"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		names = append(names, name)
		return err
	})
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return names, err
}

// HashFile returns the SHA-256 sum of a file.
func HashFile(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

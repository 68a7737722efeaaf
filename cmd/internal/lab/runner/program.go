package runner

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
)

// mostHashed is the maximum number of bytes that are read to hash a program.
const mostHashed = 1 << 30

// programOf returns a short hash of a contender's program. The hash covers the words of its
// command, its settings and its files. Runs with the same hash executed the same program. The hash
// is "", which means unknown, if no file of the program can be identified or a file cannot be read.
//
// The hash does not depend on the folder in which the lab builds: {bin} is not replaced, and files
// are identified by their paths relative to {bin} or to the root.
func programOf(root string, c experiment.Contender, bin string) string {
	sum := sha256.New()
	for _, word := range c.Run {
		fmt.Fprintf(sum, "%q\n", word)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		fmt.Fprintf(sum, "%q=%q\n", name, c.Env[name])
	}
	budget := int64(mostHashed)
	artefacts := artefactsOf(root, c, bin)
	for _, path := range artefacts {
		if err := addTree(sum, path, &budget); err != nil {
			return ""
		}
	}
	if len(artefacts) == 0 {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil))[:16]
}

// shortSum returns a shortened SHA-256 hash of text.
func shortSum(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])[:16]
}

// checkBuilt checks that the declared files of a program exist after the build.
func checkBuilt(root string, c experiment.Contender) error {
	for _, name := range c.Program {
		if _, err := os.Stat(filepath.Join(root, name)); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("program names %s, which the build did not create", name)
		}
	}
	return nil
}

// artefactsOf returns the files and folders of a contender's program. It returns the first of the
// following that is not empty: the declared ones, the ones below {bin} that the command names, the
// ones below the root that the command names, and the command itself.
func artefactsOf(root string, c experiment.Contender, bin string) (all []string) {
	for _, path := range c.Program {
		all = append(all, filepath.Join(root, path))
	}
	if len(all) > 0 {
		return all
	}
	for _, word := range c.Run {
		if below, ok := strings.CutPrefix(word, "{bin}"); ok {
			all = append(all, bin+below)
		} else if strings.Contains(word, "{bin}") {
			all = append(all, bin) // {bin} is a part of an option
		}
	}
	if len(all) > 0 {
		return all
	}
	for _, word := range c.Run {
		path := filepath.Join(root, word)
		if _, err := os.Stat(path); err == nil && filepath.IsLocal(word) {
			all = append(all, path)
		}
	}
	if len(all) > 0 {
		return all
	}
	if path, err := exec.LookPath(c.Run[0]); err == nil {
		all = append(all, path)
	}
	return all
}

// addTree hashes a file, or all files of a folder in the order of their names. It skips folders
// named .git. It fails if budget, the number of bytes that may still be read, is exceeded.
func addTree(sum hash.Hash, root string, budget *int64) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == ".git":
			return fs.SkipDir
		case entry.IsDir():
			return nil
		}
		info, err := os.Stat(path) // follows links
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			return nil
		}
		place, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if *budget -= info.Size(); *budget < 0 {
			return errors.New("too large to hash")
		}
		fmt.Fprintf(sum, "%q\n", filepath.ToSlash(place))
		return addFile(sum, path)
	})
}

// addFile hashes the contents of a file. For a .jar file it hashes the entries, because the file
// itself contains the time of its creation.
func addFile(sum hash.Hash, path string) error {
	if filepath.Ext(path) == ".jar" {
		if archive, err := zip.OpenReader(path); err == nil {
			return errors.Join(addArchive(sum, &archive.Reader), archive.Close())
		}
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	own := sha256.New()
	_, err = io.Copy(own, file)
	fmt.Fprintf(sum, "%x\n", own.Sum(nil))
	return errors.Join(err, file.Close())
}

// addArchive hashes the names, sizes and checksums of the entries of an archive, sorted by name.
func addArchive(sum hash.Hash, archive *zip.Reader) error {
	lines := make([]string, 0, len(archive.File))
	for _, entry := range archive.File {
		lines = append(lines, fmt.Sprintf("%q %d %08x\n", entry.Name, entry.UncompressedSize64, entry.CRC32))
	}
	slices.Sort(lines)
	_, err := io.WriteString(sum, strings.Join(lines, ""))
	return err
}

package folder

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/fix"
)

const (
	markFile = ".coppice-fix"      // proves that Save made the folder
	partFile = ".coppice-fix.part" // name of each incomplete file, which a killed process may leave behind
)

const markSchema = 1

// A mark lists the files that Save has written to a folder. Other files belong to the user, and are
// neither replaced nor removed.
type mark struct {
	Schema int `json:"schema"`
	// Files contains the SHA-256 sums of the contents of each file. The keys are names relative to
	// the folder, with slashes. While one result replaces another, a file has two sums, so that the
	// mark covers the files even if the process is killed.
	Files map[string][]string `json:"files"`
}

// errNoMark is returned if a folder has files but no mark.
var errNoMark = errors.New("the folder has no mark")

// readMark reads the mark of a folder. If the folder is empty or does not exist, the mark is empty.
func readMark(dir string) (mark, error) {
	m := mark{Schema: markSchema, Files: map[string][]string{}}
	data, err := os.ReadFile(filepath.Join(dir, markFile))
	if err != nil {
		entries, e := os.ReadDir(dir)
		entries = slices.DeleteFunc(entries, func(entry os.DirEntry) bool { return entry.Name() == partFile })
		switch {
		case errors.Is(e, fs.ErrNotExist), e == nil && len(entries) == 0:
			return m, nil
		case e != nil:
			return m, fmt.Errorf("%s is not a folder for patches: %w", dir, e)
		}
		return m, errNoMark
	}
	if err := json.Unmarshal(data, &m); err != nil || m.Schema != markSchema {
		return m, errNoMark
	}
	for name := range m.Files {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return m, errNoMark
		}
	}
	return m, nil
}

// put adds the SHA-256 sum of a file's contents.
func (m *mark) put(name string, content []byte) {
	sum := sha256.Sum256(content)
	if text := hex.EncodeToString(sum[:]); !slices.Contains(m.Files[name], text) {
		m.Files[name] = append(m.Files[name], text)
	}
}

// check returns an error if a new result would overwrite files that Save did not write. It checks
// the files of the mark and the files in others, and compares them with their sums.
func (m *mark) check(dir string, others []string) error {
	for _, name := range slices.Sorted(slices.Values(slices.Concat(slices.Collect(maps.Keys(m.Files)), others))) {
		file := filepath.Join(dir, filepath.FromSlash(name))
		info, err := os.Lstat(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		sums, listed := m.Files[name]
		if !listed {
			return fmt.Errorf("%s is not a file that coppice fix wrote; move it, or name another folder with -out", file)
		}
		sum, err := fix.FileSum(file)
		if err != nil {
			return err
		}
		if parent, err := os.Lstat(filepath.Dir(file)); err != nil || !info.Mode().IsRegular() || filepath.Dir(file) != filepath.Clean(dir) && !parent.IsDir() || !slices.Contains(sums, sum) {
			return fmt.Errorf("%s has changed since coppice fix wrote it; move it, or name another folder with -out", file)
		}
	}
	return nil
}

// write writes the mark to its folder.
func (m *mark) write(dir string) error {
	data, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return err
	}
	return write(dir, markFile, append(data, '\n'))
}

// write writes a file to the folder atomically: the file is written completely or not at all.
func write(dir, name string, content []byte) error {
	file, part := filepath.Join(dir, filepath.FromSlash(name)), filepath.Join(dir, partFile)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(part, content, 0o666); err != nil {
		return err
	}
	return os.Rename(part, file)
}

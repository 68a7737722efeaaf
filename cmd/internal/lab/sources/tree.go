package sources

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A Tree represents the files below a root folder. It hashes each file only once.
type Tree struct {
	root    string
	files   []string            // sorted, slash-separated names
	folders map[string][]string // the files in each folder
	hashes  map[string]string   // hash of each file
	modules map[string]string   // folder by module path
}

// New returns the tree below a folder. Files that git ignores are not included. Outside a git
// repository, folders whose names begin with a dot are not included.
func New(root string) *Tree {
	t := &Tree{root: root, folders: map[string][]string{}, hashes: map[string]string{}}
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
	cmd.Dir = root
	if out, err := cmd.Output(); err == nil {
		t.files = strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	} else {
		t.files = walk(root)
	}
	slices.Sort(t.files)
	for _, name := range t.files {
		t.folders[path.Dir(name)] = append(t.folders[path.Dir(name)], name)
	}
	return t
}

// walk returns the names of the readable files below a folder.
func walk(root string) (all []string) {
	_ = fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fs.SkipDir // unreadable files are not sources
		case entry.IsDir() && name != "." && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		case !entry.IsDir():
			all = append(all, name)
		}
		return nil
	})
	return all
}

// place returns the file or folder in the tree that a word names. It returns "" if there is none,
// or if the word names the root.
func (t *Tree) place(word string) string {
	if word == "" || strings.HasPrefix(word, "-") || !filepath.IsLocal(word) {
		return ""
	}
	word = path.Clean(word)
	if _, file := slices.BinarySearch(t.files, word); word == "." || !file && !t.isFolder(word) {
		return ""
	}
	return word
}

// isFolder reports whether the tree contains files below a folder.
func (t *Tree) isFolder(name string) bool {
	i, _ := slices.BinarySearch(t.files, name+"/")
	return i < len(t.files) && strings.HasPrefix(t.files[i], name+"/")
}

// addFolder adds all source files below a folder.
func (t *Tree) addFolder(to parts, folder string) {
	i, _ := slices.BinarySearch(t.files, folder+"/")
	for ; i < len(t.files) && strings.HasPrefix(t.files[i], folder+"/"); i++ {
		t.add(to, t.files[i])
	}
}

// add adds a file, unless its name shows that it is not a source.
func (t *Tree) add(to parts, name string) {
	folders := strings.Split(name, "/")
	if base := path.Base(name); strings.HasSuffix(base, ".md") || strings.HasSuffix(base, "_test.go") || base == "contenders.toml" ||
		strings.HasPrefix(base, ".") || slices.Contains(folders, "testdata") || slices.Contains(folders, "__pycache__") || t.written(name) {
		return
	}
	to[name] = t.hash(name)
}

// read returns the contents of a file, or nil if the file cannot be read.
func (t *Tree) read(name string) []byte {
	data, _ := os.ReadFile(filepath.Join(t.root, filepath.FromSlash(name)))
	return data
}

// hash returns the hash of a file. The hash of a Go file does not depend on its layout and
// comments, except for //go: directives. If the file uses cgo, all of its contents are hashed.
func (t *Tree) hash(name string) string {
	if known, ok := t.hashes[name]; ok {
		return known
	}
	data := t.read(name)
	if path.Ext(name) == ".go" && !bytes.Contains(data, []byte(`import "C"`)) {
		data = tokens(data)
	}
	sum := sha256.Sum256(data)
	t.hashes[name] = hex.EncodeToString(sum[:])
	return t.hashes[name]
}

// tokens returns Go source without layout and comments. It keeps //go: directives.
func tokens(source []byte) []byte {
	var out bytes.Buffer
	var s scanner.Scanner
	files := token.NewFileSet()
	s.Init(files.AddFile("", -1, len(source)), source, nil, scanner.ScanComments)
	for {
		_, kind, text := s.Scan()
		switch {
		case kind == token.EOF:
			return out.Bytes()
		case kind == token.COMMENT && !strings.HasPrefix(text, "//go:"):
			continue
		case kind == token.SEMICOLON:
			text = ";"
		case text == "":
			text = kind.String()
		}
		out.WriteString(text)
		out.WriteByte('\n')
	}
}

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

// A Tree contains the files below a root. It reads each of them once.
type Tree struct {
	root    string
	files   []string            // sorted, with slashes
	folders map[string][]string // the files in each folder
	hashes  map[string]string   // by file
	modules map[string]string   // folder by module path
}

// New returns the tree below a folder, without files that git ignores. Outside a repository, it
// skips folders whose names begin with a dot.
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

// walk returns the readable files below a folder.
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

// place returns the file or folder that a word names, or "" if there is none. It also returns ""
// for the root itself.
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

// isFolder reports whether there are files below a folder.
func (t *Tree) isFolder(name string) bool {
	i, _ := slices.BinarySearch(t.files, name+"/")
	return i < len(t.files) && strings.HasPrefix(t.files[i], name+"/")
}

// addFolder adds all sources below a folder.
func (t *Tree) addFolder(to parts, folder string) {
	i, _ := slices.BinarySearch(t.files, folder+"/")
	for ; i < len(t.files) && strings.HasPrefix(t.files[i], folder+"/"); i++ {
		t.add(to, t.files[i])
	}
}

// add adds a file, if programs can be built from it.
func (t *Tree) add(to parts, name string) {
	folders := strings.Split(name, "/")
	if base := path.Base(name); strings.HasSuffix(base, ".md") || strings.HasSuffix(base, "_test.go") || base == "contenders.toml" ||
		strings.HasPrefix(base, ".") || slices.Contains(folders, "testdata") || slices.Contains(folders, "__pycache__") || t.written(name) {
		return
	}
	to[name] = t.hash(name)
}

// read returns the text of a file, or nil if it cannot be read.
func (t *Tree) read(name string) []byte {
	data, _ := os.ReadFile(filepath.Join(t.root, filepath.FromSlash(name)))
	return data
}

// hash returns the hash of a file. It ignores layout and comments of Go source, except //go:
// directives. If a file uses cgo, it hashes the whole file.
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

// tokens returns Go source without layout and without comments, except for directives to the
// compiler.
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

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// programs are the packages from which the binaries of a release are built.
var programs = part{packages: []string{"./cmd/coppice", "./cmd/coppice-vet"}}

// noticeHead is the beginning of a NOTICE, and rule is the line before each text in it.
const (
	noticeHead = `Coppice is under the Apache License 2.0; LICENSE has its text. The programs coppice and coppice-vet
contain third-party code, too. These are the modules that they come from, and their licences.
`
	rule = "\n================================================================================\n\n"
)

// notices matches the names of the files that the Apache License requires to be passed on.
var notices = regexp.MustCompile(`(?i)^notice([.-].*)?$`)

// A noticed is the text of a licence or a notice, with the modules that contain this exact text.
type noticed struct {
	modules []string
	text    string
}

// notice returns the NOTICE of the programs: each licence of a module that any of the systems
// compiles into them, with its copyright, and each file that the Apache License requires to be
// passed on. If several modules contain exactly the same text, the text occurs once.
func notice(ctx context.Context, root string) ([]byte, error) {
	goroot, err := goRoot(ctx, root)
	if err != nil {
		return nil, err
	}
	all := []dependency{{path: "Go's standard library", folder: goroot, packages: []string{"."}}}
	imported, err := programs.imported(ctx, root)
	if err != nil {
		return nil, err
	}
	var texts []noticed
	var bad []error
	for _, d := range append(all, imported...) {
		files, err := passedOn(os.DirFS(d.folder), d.packages)
		if err != nil {
			bad = append(bad, fmt.Errorf("%s: %w", d.path, err))
			continue
		}
		name := strings.TrimSpace(d.path + " " + d.version)
		for _, text := range files {
			i := slices.IndexFunc(texts, func(n noticed) bool { return n.text == text })
			if i < 0 {
				i = len(texts)
				texts = append(texts, noticed{text: text})
			}
			if !slices.Contains(texts[i].modules, name) {
				texts[i].modules = append(texts[i].modules, name)
			}
		}
	}
	out := bytes.NewBufferString(noticeHead)
	for _, n := range texts {
		fmt.Fprintf(out, "%s%s\n\n%s\n", rule, strings.Join(n.modules, "\n"), n.text)
	}
	return out.Bytes(), errors.Join(bad...)
}

// goRoot returns the folder of the toolchain, whose library every program contains.
func goRoot(ctx context.Context, root string) (string, error) {
	dir, err := goList(ctx, root, systems[0], "-f", "{{.Root}}", "runtime")
	return filepath.Clean(strings.TrimSpace(string(dir))), err
}

// passedOn returns the texts of a module that have to be passed on with programs that contain its
// packages, without blanks around them: its licences, and after them its notices.
func passedOn(module fs.FS, packages []string) (texts []string, err error) {
	_, files, err := find(module, packages)
	if err != nil {
		return nil, err
	}
	beside := map[string]bool{".": true}
	for _, file := range files {
		beside[path.Dir(file)] = true
	}
	var more []string
	for folder := range beside {
		entries, err := fs.ReadDir(module, folder)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if !e.IsDir() && notices.MatchString(e.Name()) && path.Ext(e.Name()) != ".go" {
				more = append(more, path.Join(folder, e.Name()))
			}
		}
	}
	slices.Sort(more)
	for _, file := range append(files, more...) {
		text, err := fs.ReadFile(module, file)
		if err != nil {
			return nil, err
		}
		lines := strings.ReplaceAll(string(text), "\r\n", "\n")
		texts = append(texts, strings.Trim(lines, "\n"))
	}
	return texts, nil
}

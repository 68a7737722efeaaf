package builds

import (
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
)

// goFile matches the names of Go files in the text of a comment.
var goFile = regexp.MustCompile(`[\w.-]+\.go\b`)

// BuiltByFiles returns the reason to assume that a package is built from a list of its files, as in
// `go run main.go scan.go`, or "" if there is none. A new file would be missing from such a list.
// Any program may be built in this way, and a file that no build includes can only be built in this
// way. A comment may also show such a list. The map named has an entry for each file of the folder
// that a comment mentions. The key is the base name of the file, and the value is a warning that
// names the file with the comment.
func (s *Set) BuiltByFiles(pkgPath, pkg string) (why string, named map[string]string) {
	named = map[string]string{}
	if pkg == "main" {
		return "a program may be built from a list of its files", named
	}
	folder := s.module.folders[pkgPath]
	if folder == nil {
		return "", named
	}
	names, texts := map[string]bool{}, map[*source][]byte{}
	for _, file := range folder.files {
		data, err := os.ReadFile(file.name)
		if err != nil {
			return err.Error(), named
		}
		texts[file] = data
		_, name := clauseOf(data)
		if name == pkg && !s.rules.possible(file.class) {
			return "no build includes " + s.Short(file.name) + ", which may be built with other files of the package", named
		}
		names[filepath.Base(file.name)] = name == pkg || name == pkg+"_test" // all files of a list belong to one package
	}
	for _, file := range folder.files {
		for _, comment := range comments(texts[file]) {
			for _, name := range goFile.FindAllString(comment, -1) {
				if names[name] && named[name] == "" {
					named[name] = "a comment in " + s.Short(file.name) + " names " + name + ", and may show how to build it"
				}
			}
		}
	}
	return "", named
}

// comments returns the comments of a Go file, even if the file has syntax errors.
func comments(data []byte) (all []string) {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(data)), data, func(token.Position, string) {}, scanner.ScanComments)
	for {
		switch _, tok, text := s.Scan(); tok {
		case token.EOF:
			return all
		case token.COMMENT:
			all = append(all, text)
		}
	}
}

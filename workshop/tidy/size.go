package tidy

import (
	"fmt"
	"go/ast"
	"path"
	"slices"
	"strings"
)

// These are the limits for the sizes of files, functions and folders. They ensure that a function
// fits on a screen, that a file has one topic, and that a reader finds the right file.
const (
	maxFileLines     = 500
	maxFunctionLines = 70
	maxFolderFiles   = 30 // not counting tests and generated files
)

// largeFolders contains the folders that may have more files, with the reason.
var largeFolders = map[string]string{
	engine: "all its files work on the words of one type, Tree, whose fields no other package sees; docs/decisions/0045",
}

func longFiles(t *Tree) (all []Complaint) {
	for _, f := range t.Go {
		if f.Lines > maxFileLines && !ast.IsGenerated(f.File) {
			all = append(all, Complaint{f.Path, 0, fmt.Sprintf("%d lines, more than %d; give each of its subjects a file", f.Lines, maxFileLines)})
		}
	}
	return all
}

// fullFolders complains about folders with so many files that a reader does not find the right one.
func fullFolders(t *Tree) (all []Complaint) {
	files := map[string]int{}
	for _, f := range t.Go {
		if !f.Test && !ast.IsGenerated(f.File) {
			files[f.Package]++
		}
	}
	for folder, n := range files {
		if _, large := largeFolders[folder]; n > maxFolderFiles && !large {
			all = append(all, Complaint{folder, 0, fmt.Sprintf("%d files without tests, more than %d; move shared code to a folder below", n, maxFolderFiles)})
		}
	}
	return all
}

func longFunctions(t *Tree) (all []Complaint) {
	t.functions(func(f *GoFile, fn *ast.FuncDecl) {
		if n := t.line(fn.End()) - t.line(fn.Pos()) + 1; n > maxFunctionLines && !ast.IsGenerated(f.File) {
			all = append(all, t.complain(f, fn.Pos(), "%s has %d lines, more than %d; move a step of it to a function of its own", fn.Name.Name, n, maxFunctionLines))
		}
	})
	return all
}

// emptyNames complains about packages whose names do not describe their contents.
func emptyNames(t *Tree) (all []Complaint) {
	for _, f := range t.Go {
		name := strings.TrimSuffix(f.Name.Name, "_test")
		if slices.Contains([]string{"util", "utils", "common", "helper", "helpers", "types", "misc", "base"}, name) {
			all = append(all, t.complain(f, f.Name.Pos(), "package %s says nothing; name it after the thing it holds", name))
		}
	}
	return all
}

func generatedNames(t *Tree) (all []Complaint) {
	for _, f := range t.Go {
		if z := strings.HasPrefix(path.Base(f.Path), "z"); z != ast.IsGenerated(f.File) {
			all = append(all, Complaint{f.Path, 0, "generated files, and only they, have names that start with z and a line \"// Code generated ... DO NOT EDIT.\"; rename the file or add the line"})
		}
	}
	return all
}

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// The list in the documentation matches the modules in use. A module whose licence is missing,
// unknown or not allowed causes an error.
func TestListIsCurrent(t *testing.T) {
	want, err := list(t.Context(), "../..")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join("../..", document))
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not up to date (%v); run: go run ./workshop/licences", document, err)
	}
	_, library, _ := strings.Cut(string(want), "## The library")
	library, others, _ := strings.Cut(library, "\n## ")
	if strings.Count(library, "\n| ") != 3 || !strings.Contains(library, "\n| golang.org/x/sys | BSD-3-Clause | LICENSE |\n") {
		t.Errorf("the library imports golang.org/x/sys only, and here\n%s", library)
	}
	if n := strings.Count(others, "\n| "); n < 20 {
		t.Errorf("the commands and the tests import %d modules", n)
	}
}

const (
	mit = `Copyright (c) A
Permission is hereby granted, free of charge, to any person obtaining a copy of this
software and associated files ... THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY`
	bsd2 = `Redistribution and use in source and binary forms, with or without
modification, are permitted provided that ...`
	bsd3   = bsd2 + ` * Neither the name of A nor ...`
	apache = `Apache License
    Version 2.0, January 2004
    http://www.apache.org/licenses/
 TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION`
)

func TestIdentify(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{mit, "MIT"},
		{bsd2, "BSD-2-Clause"},
		{bsd3, "BSD-3-Clause"},
		{bsd3 + bsd2, "BSD-2-Clause BSD-3-Clause"},
		{apache, "Apache-2.0"},
		{apache + "\n" + mit, "Apache-2.0 MIT"},
		{"Permission to use, copy, modify, and/or distribute this software for any\npurpose with or without fee is hereby granted", "ISC"},
		{"Mozilla Public License Version 2.0\n1.1. \"Contributor\" ... the GNU General Public License, Version 2.0", "MPL-2.0"},
		{"This is free and unencumbered software released into the public domain. THE SOFTWARE IS PROVIDED \"AS IS\"", "Unlicense"},
		{"", "wording of an allowed"},
		{"Licensed under MIT.", "wording of an allowed"},
		{"Version 2.0, January 2004", "wording of an allowed"},
		{"GNU GENERAL PUBLIC LICENSE\n  Version 3", "not allowed"},
		{mit + "\n\"Commons Clause\" License Condition v1.0", "not allowed"},
		{bsd3 + " 3. All advertising materials mentioning features", "not allowed"},
	} {
		ids, err := identify(c.text)
		got := strings.Join(ids, " ")
		if err != nil {
			got = err.Error()
		}
		if got != c.want && (err == nil || !strings.Contains(got, c.want)) {
			t.Errorf("%s\nis %q, want %q", c.text, got, c.want)
		}
	}
}

// The licences of a module are found in the folders of its imported packages and in their parent
// folders.
func TestFind(t *testing.T) {
	module := fstest.MapFS{
		"LICENSE":            {Data: []byte(mit)},
		"a/deep/COPYING.txt": {Data: []byte(bsd3)},
		"a/deep/er/x.go":     {},
		"b/License.md":       {Data: []byte(apache)},
		"c/LICENCE":          {Data: []byte("all rights reserved")},
		"c/d/license.go":     {Data: []byte("package d")},
	}
	for _, c := range []struct {
		packages   []string
		ids, files []string
		fails      string
	}{
		{[]string{"."}, []string{"MIT"}, []string{"LICENSE"}, ""},
		{[]string{"a/deep/er"}, []string{"BSD-3-Clause", "MIT"}, []string{"LICENSE", "a/deep/COPYING.txt"}, ""},
		{[]string{"a", "b"}, []string{"Apache-2.0", "MIT"}, []string{"LICENSE", "b/License.md"}, ""},
		{[]string{"c/d"}, nil, nil, "c/LICENCE: it does not have the wording"},
	} {
		ids, files, err := find(module, c.packages)
		if !slices.Equal(ids, c.ids) || !slices.Equal(files, c.files) || (err != nil) != (c.fails != "") {
			t.Errorf("%q: %q in %q, %v", c.packages, ids, files, err)
		}
		if err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%q: %v, want %q", c.packages, err, c.fails)
		}
	}
	delete(module, "LICENSE")
	if _, _, err := find(module, []string{"a"}); err == nil || !strings.Contains(err.Error(), "no file with a licence") {
		t.Errorf("a module without a licence: %v", err)
	}
}

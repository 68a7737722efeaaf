package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A licence holds the identifier of a licence and the phrases by which it is recognized: every text
// of the licence contains all of them.
type licence struct {
	id   string   // SPDX identifier
	says []string // phrases in lower case, with single spaces and without punctuation
}

// allowed lists the licences that a module may have.
var allowed = []licence{
	{"Apache-2.0", []string{"apache license version 2 0 january 2004", "terms and conditions for use reproduction and distribution"}},
	{"BSD-2-Clause", nil}, // see bsd
	{"BSD-3-Clause", nil},
	{"ISC", []string{"permission to use copy modify and or distribute this software for any purpose with or without fee is hereby granted"}},
	{"MIT", []string{"permission is hereby granted free of charge to any person obtaining a copy of this software", "the software is provided as is"}},
	{"MPL-2.0", []string{"mozilla public license version 2 0", "1 1 contributor"}},
	{"Unlicense", []string{"this is free and unencumbered software released into the public domain", "the software is provided as is"}},
}

// refused lists phrases by which two kinds of text are recognized: licences that are not allowed,
// and additions to licences that are not allowed.
var refused = []string{
	"gnu general public license version", "gnu lesser general public license version", "gnu affero general public license",
	"commons clause", "all advertising materials mentioning", "business source license", "server side public license",
}

// The two allowed BSD licences contain the phrase bsd. They differ in one condition, which begins
// with noPromotion.
const (
	bsd         = "redistribution and use in source and binary forms with or without modification are permitted"
	noPromotion = "neither the name"
)

var notWords = regexp.MustCompile(`[^a-z0-9]+`)

// identify returns the sorted SPDX identifiers of all licences in text. It returns an error if it
// recognizes no licence, or if a licence is not allowed.
func identify(text string) (ids []string, err error) {
	text = notWords.ReplaceAllString(strings.ToLower(text), " ")
	for _, l := range allowed {
		if l.says != nil && !slices.ContainsFunc(l.says, func(s string) bool { return !strings.Contains(text, s) }) {
			ids = append(ids, l.id)
		}
	}
	all, three := strings.Count(text, bsd), strings.Count(text, noPromotion)
	if all > three {
		ids = append(ids, "BSD-2-Clause")
	}
	if all > 0 && three > 0 {
		ids = append(ids, "BSD-3-Clause")
	}
	for _, words := range refused {
		// The Mozilla licence mentions the GNU licences, with which it can be combined.
		if strings.Contains(text, words) && !slices.Contains(ids, "MPL-2.0") {
			return nil, fmt.Errorf("it says %q, which is not allowed here", words)
		}
	}
	if len(ids) == 0 {
		return nil, errors.New("it does not have the wording of an allowed licence")
	}
	slices.Sort(ids)
	return ids, nil
}

// named matches the file names of licences.
var named = regexp.MustCompile(`(?i)^(un)?(licen[sc]e|copying)([.-].*)?$`)

// find returns the identifiers of the licences of a module, and the files that contain them. It
// searches the folders of the given packages and the folders that enclose them, up to the root of
// the module.
func find(module fs.FS, packages []string) (ids, files []string, err error) {
	folders := map[string]bool{}
	for _, p := range packages {
		for folders[p] = true; p != "."; folders[p] = true {
			p = path.Dir(p)
		}
	}
	for folder := range folders {
		entries, err := fs.ReadDir(module, folder)
		if err != nil {
			return nil, nil, err
		}
		for _, e := range entries {
			if e.IsDir() || !named.MatchString(e.Name()) || path.Ext(e.Name()) == ".go" {
				continue
			}
			file := path.Join(folder, e.Name())
			text, err := fs.ReadFile(module, file)
			if err != nil {
				return nil, nil, err
			}
			said, err := identify(string(text))
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", file, err)
			}
			ids, files = append(ids, said...), append(files, file)
		}
	}
	if len(files) == 0 {
		return nil, nil, errors.New("it has no file with a licence")
	}
	slices.Sort(ids)
	slices.Sort(files)
	return slices.Compact(ids), files, nil
}

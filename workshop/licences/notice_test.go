package main

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// The NOTICE of the programs contains the licences of Go and of all modules that are compiled into
// the programs, and each licence text only once.
func TestNotice(t *testing.T) {
	out, err := notice(t.Context(), "../..")
	if err != nil {
		t.Fatal(err)
	}
	text := string(out)
	for _, want := range []string{
		"\nGo's standard library\n", "Copyright 2009 The Go Authors.", "\ngolang.org/x/tools v", "\nhonnef.co/go/tools v", "\ngithub.com/rivo/uniseg v",
		"Copyright (c) 2019 Oliver Kuederle", "Version 2.0, January 2004",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not have %q", want)
		}
	}
	for _, unwanted := range []string{"pgregory.net/rapid", "chromedp", "github.com/prometheus", "k8s.io"} {
		if strings.Contains(text, unwanted) {
			t.Errorf("it has %s, which no program contains", unwanted)
		}
	}
	sections := strings.Split(text, rule)
	texts := map[string]bool{}
	for _, s := range sections[1:] {
		names, licence, _ := strings.Cut(s, "\n\n")
		if texts[licence] || names == "" || strings.TrimSpace(licence) == "" {
			t.Errorf("a section of %q has no text, or that of another one", names)
		}
		texts[licence] = true
	}
	if len(sections) < 10 {
		t.Errorf("it has %d sections", len(sections))
	}
}

func TestPassedOn(t *testing.T) {
	module := fstest.MapFS{
		"LICENSE":        {Data: []byte("\n" + apache + "\r\nmore\n\n")},
		"NOTICE":         {Data: []byte("Names A.\n")},
		"notice.go":      {Data: []byte("package m")},
		"a/COPYING":      {Data: []byte(mit)},
		"a/Notice.txt":   {Data: []byte("Names B.")},
		"b/NOTICE":       {Data: []byte("of what is not imported")},
		"a/deep/file.go": {},
	}
	got, err := passedOn(module, []string{"a/deep"})
	if want := []string{apache + "\nmore", mit, "Names A.", "Names B."}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q (%v), want %q", got, err, want)
	}
	if _, err := passedOn(fstest.MapFS{"a.go": {}}, []string{"."}); err == nil || !strings.Contains(err.Error(), "no file with a licence") {
		t.Errorf("a module without a licence: %v", err)
	}
}

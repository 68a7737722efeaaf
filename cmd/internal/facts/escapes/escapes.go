// Package escapes reads the compiler's messages about values that escape: detailed explanations or,
// for large packages, one line per value.
package escapes

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// An Escape is a compiler message about an escaping value, with the value's position. In inlined
// code, this is the innermost position.
type Escape struct {
	Line, Column int
	Message      string
	Flow         []string
}

// A diagnostic is one line of the compiler's JSON output, which uses the format of the Language
// Server Protocol.
type diagnostic struct {
	Range   span      `json:"range"`
	Code    string    `json:"code"`
	Message string    `json:"message"`
	Related []related `json:"relatedInformation"`
}

type span struct {
	Start struct {
		Line      int `json:"line"`
		Character int `json:"character"`
	} `json:"start"`
}

type related struct {
	Location struct {
		URI   string `json:"uri"`
		Range span   `json:"range"`
	} `json:"location"`
	Message string `json:"message"`
}

// A Listener receives the messages that Read finds.
type Listener interface {
	// Escapes is called for each escape in a package. file is the base name of the source file.
	Escapes(pkgPath, file string, e Escape)
	// Garbled is called for each unparsable explanation about a package.
	Garbled(pkgPath string)
}

// Read reads the files that the compiler has written: one folder for each package, with one file
// for each source file.
func Read(folder string, to Listener) error {
	packages, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the package does not compile; its errors state the reason
	} else if err != nil {
		return err
	}
	for _, p := range packages {
		path, err := url.PathUnescape(p.Name())
		if err != nil {
			return fmt.Errorf("the compiler's explanations have an unexpected file name: %w", err)
		}
		files, err := os.ReadDir(filepath.Join(folder, p.Name()))
		if err != nil {
			return err
		}
		for _, f := range files {
			if err := readFile(path, filepath.Join(folder, p.Name(), f.Name()), to); err != nil {
				return err
			}
		}
	}
	return nil
}

func readFile(path, name string, to Listener) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewReader(f)
	source := ""
	for number := 0; ; number++ {
		text, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if number == 0 {
			var header struct {
				File string `json:"file"`
			}
			if err := json.Unmarshal(text, &header); err != nil {
				to.Garbled(path)
				return nil
			}
			source = header.File
			continue
		}
		if !bytes.Contains(text, []byte(`"code":"escape`)) { // most concern bounds and inlining
			continue
		}
		var d diagnostic
		if err := json.Unmarshal(text, &d); err != nil { // two compilers wrote the line at once, for the package and for its tests
			to.Garbled(path)
			continue
		}
		if file, e, ok := d.escape(source); ok {
			to.Escapes(path, file, e)
		}
	}
}

// escape converts a diagnostic about file to an Escape, and returns the base name of the file that
// contains the escape. If the escape is in an inlined function, its position is inside that
// function. ok is false if d does not report an escape, or if the inlined function belongs to
// another package.
func (d diagnostic) escape(file string) (key string, e Escape, ok bool) {
	if d.Code != "escape" && d.Code != "escapes" || d.Message == "" {
		return "", e, false
	}
	at, rest := d.Range, d.Related
	inner := file
	for len(rest) > 0 && rest[0].Message == "inlineLoc" {
		uri, err := url.Parse(rest[0].Location.URI)
		if err != nil {
			return "", e, false
		}
		inner, at, rest = filepath.FromSlash(uri.Path), rest[0].Location.Range, rest[1:]
	}
	if filepath.Dir(inner) != filepath.Dir(file) && inner != file {
		return "", e, false // the function belongs to another package, which has its own messages
	}
	e = Escape{Line: at.Start.Line, Column: at.Start.Character, Message: d.Message, Flow: flow(rest)}
	return filepath.Base(inner), e, true
}

// flow condenses the compiler's explanation into one line for each step:
//
//	n ← &Node{...} (assign, parse.go:12)
func flow(all []related) (steps []string) {
	open := false // whether the last step still lacks its reason
	for _, r := range all {
		text, ok := strings.CutPrefix(r.Message, "escflow:")
		if text = strings.TrimSpace(text); !ok {
			continue
		}
		if step, ok := strings.CutPrefix(text, "flow: "); ok {
			steps, open = append(steps, plain(step)), true
			continue
		}
		reason := text[strings.LastIndex(text, "(")+1:]
		if !open || reason == "spill)" { // a spill only says that the value gets an address
			continue
		}
		name := "?"
		if uri, err := url.Parse(r.Location.URI); err == nil {
			name = filepath.Base(filepath.FromSlash(uri.Path))
		}
		steps[len(steps)-1] += fmt.Sprintf(" (%s, %s:%d)", strings.TrimSuffix(reason, ")"), name, r.Location.Range.Start.Line)
		open = false
	}
	return steps
}

// plain removes the compiler's notation for locations from a step: a ← &{storage for x}: becomes a
// ← x.
func plain(step string) string {
	to, from, ok := strings.Cut(strings.TrimSuffix(step, ":"), " ← ")
	if !ok {
		return step
	}
	return shorten(to) + " ← " + shorten(from)
}

func shorten(location string) string {
	for _, prefix := range []string{"&{storage for ", "{storage for "} {
		if inner, ok := strings.CutPrefix(location, prefix); ok {
			return strings.TrimSuffix(inner, "}")
		}
	}
	switch location {
	case "{heap}":
		return "heap"
	case "{temp}":
		return "temporary"
	}
	if n, ok := strings.CutPrefix(location, "~r"); ok {
		return "result " + n
	}
	return location
}

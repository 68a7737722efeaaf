package show

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/coppice-go/coppice/cmd/internal/render/termtext"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

const (
	around  = 5   // number of lines before and after a site
	longest = 300 // maximum number of shown columns per line
)

// A file contains excerpts from a source file: the lines around its sites.
type file struct {
	Name     string
	Missing  string // why no lines are shown
	Excerpts [][]line
	Sites    []*site.Site // the sites, if no lines are shown
}

// A line is a line of source code with its sites.
type line struct {
	Number  int
	Text    string
	Sites   []*site.Site
	Escapes []string // messages of the compiler about escapes
}

// files returns the source files of the shown sites, with excerpts around these sites. The file
// with the most expensive site comes first.
func (v *view) files(source func(file string) ([]byte, error)) (all []*file) {
	names := []string{}
	in := map[string][]*site.Site{}
	for _, s := range v.Sites {
		if len(in[s.File]) == 0 {
			names = append(names, s.File)
		}
		in[s.File] = append(in[s.File], s)
	}
	for _, name := range names {
		sites := in[name]
		f := &file{Name: fileName(v.Target.Dir, sites[0].Place), Sites: sites}
		all = append(all, f)
		if name == "" {
			f.Name, f.Missing = "no file", "the profile names none"
			continue
		}
		text, err := source(name)
		if err != nil {
			f.Missing = termtext.Plain(err.Error())
			continue
		}
		lines := bytes.Split(text, []byte("\n"))
		here := slices.DeleteFunc(slices.Clone(sites), func(s *site.Site) bool { return s.Line < 1 || s.Line > len(lines) })
		if len(here) < len(sites) {
			f.Missing = fmt.Sprintf("the file has %s, fewer than in the profile: it has changed", counted(len(lines), "line"))
			continue
		}
		f.Sites = nil
		f.Excerpts = excerpts(lines, here)
	}
	return all
}

// excerpts returns the lines around the sites. It merges overlapping excerpts.
func excerpts(lines [][]byte, sites []*site.Site) (all [][]line) {
	slices.SortStableFunc(sites, func(a, b *site.Site) int { return cmp.Compare(a.Line, b.Line) })
	end := 0 // number of the last shown line
	for i, s := range sites {
		if i == 0 || s.Line-around > end+1 {
			all = append(all, nil)
			end = s.Line - around - 1
		}
		last := &all[len(all)-1]
		for n := max(1, end+1); n <= min(len(lines), s.Line+around); n++ {
			*last = append(*last, line{Number: n, Text: visible(string(lines[n-1]))})
		}
		end = s.Line + around
		at := &(*last)[s.Line-(*last)[0].Number]
		at.Sites = append(at.Sites, s)
		for _, e := range s.Facts.Escapes {
			if text := termtext.Plain(e.Message); !slices.Contains(at.Escapes, text) {
				at.Escapes = append(at.Escapes, text)
			}
		}
	}
	return all
}

// visible makes a line of source safe to display. It replaces characters that hide or reorder
// others (control and bidirectional characters) by their code points, and cuts a long line.
func visible(text string) string {
	out := &strings.Builder{}
	columns := 0
	for _, r := range strings.ToValidUTF8(strings.TrimSuffix(text, "\r"), string(unicode.ReplacementChar)) {
		if columns++; columns > longest {
			out.WriteString("…")
			break
		}
		switch {
		case r == '\t':
			out.WriteString("    ")
		case unicode.Is(unicode.C, r):
			fmt.Fprintf(out, "<U+%04X>", r)
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

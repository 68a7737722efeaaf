package tidy

import (
	"slices"
	"strconv"
	"strings"
)

// toolGroups is where the tools' packages live.
const toolGroups = "cmd/internal/"

// onlyFrom says from which other groups the packages of a group, and their tests, import. A folder
// that is not named is the ground, from which all may import, and which imports from no group. A
// folder below a group is a part of it, or a group of its own if it is named.
var onlyFrom = map[string][]string{
	"fix":             {"find", "remedy", "prove", "gobench", "rewrite", "reach", "builds", "flatgen"},
	"find":            {"remedy", "prove", "gobench", "meter"},
	"remedy":          {"rewrite/own", "rewrite", "reach", "builds", "flatgen"},
	"prove":           {"gobench", "meter"},
	"gobench":         {"meter"},
	"meter":           nil,
	"rewrite/foreign": {"rewrite/rules", "rewrite"},
	"rewrite/rules":   {"rewrite"},
	"rewrite/own":     {"rewrite"},
	"rewrite":         {"reach"},
	"reach":           {"builds"},
	"builds":          nil,
	"lab":             nil,
	"flatbegin":       {"flatgen"},
	"flatgen":         nil,
	"flatexport":      nil,
	"vetreport":       {"vetrun"},
	"vetrun":          nil,
}

// groupDirection wants arrows between the groups of the tools to point down.
func groupDirection(t *Tree) (all []Complaint) {
	for _, f := range t.Go {
		from, tool := groupOf(f.Package)
		if !tool {
			continue
		}
		for _, i := range f.Imports {
			path, _ := strconv.Unquote(i.Path.Value)
			to, tool := groupOf(strings.TrimPrefix(path, ours+"/"))
			if _, isGroup := onlyFrom[to]; !tool || !isGroup || to == from || slices.Contains(onlyFrom[from], to) {
				continue
			}
			all = append(all, t.complain(f, i.Pos(), "%s imports from the group %s%s; it may do so from %s; move what is shared down", f.Package, toolGroups, to, allowed(from)))
		}
	}
	return all
}

// groupOf returns the group of a folder: the lowest folder around it that is named. If none is,
// that is its first name below cmd/internal.
func groupOf(folder string) (group string, ok bool) {
	group, ok = strings.CutPrefix(folder, toolGroups)
	for {
		around := strings.LastIndexByte(group, '/')
		if _, named := onlyFrom[group]; named || around < 0 {
			return group, ok
		}
		group = group[:around]
	}
}

// allowed names the groups that a group imports from.
func allowed(group string) string {
	return strings.Join(append(slices.Clone(onlyFrom[group]), "the ground"), ", ")
}

package tidy

import (
	"slices"
	"strconv"
	"strings"
)

// toolGroups is the folder of the tools' packages.
const toolGroups = "cmd/internal/"

// onlyFrom lists the other groups from which the packages of a group, and their tests, may import.
// A folder that is not named is at the lowest level: all groups may import from it, and it imports
// from no group. A folder below a group is a part of that group, or a separate group if it is
// named.
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

// groupDirection requires the packages of a group to import only from the groups in onlyFrom.
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

// groupOf returns the group of a folder: the innermost folder around it that onlyFrom names or, if
// it names none, the first element of its path below cmd/internal.
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

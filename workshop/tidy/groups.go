package tidy

import (
	"slices"
	"strconv"
	"strings"
)

// toolGroups is the folder that contains the packages of the tools.
const toolGroups = "cmd/internal/"

// onlyFrom lists, for each group, the other groups from which its packages, and their tests, may
// import. A folder that is not listed is at the lowest level: all groups may import from it, and it
// must not import from any group. A folder below a group belongs to that group, unless it is listed
// as a separate group.
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

// groupOf returns the group to which a folder below cmd/internal belongs. The group is the
// innermost enclosing folder that onlyFrom lists or, if none is listed, the first element of the
// path below cmd/internal.
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

// allowed returns the names of the groups from which a group may import, for a complaint.
func allowed(group string) string {
	return strings.Join(append(slices.Clone(onlyFrom[group]), "the ground"), ", ")
}

package tidy

import (
	"slices"
	"strconv"
	"strings"
)

// toolRooms is where the tools' packages live.
const toolRooms = "cmd/internal/"

// onlyFrom says from which other rooms the packages of a room, and their tests, import. A folder
// that is not named is the ground, from which all may import, and which imports from no room. A
// folder below a room is a part of it, or a room of its own if it is named.
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

// roomDirection wants arrows between the rooms of the tools to point down.
func roomDirection(t *Tree) (all []Complaint) {
	for _, f := range t.Go {
		from, tool := roomOf(f.Package)
		if !tool {
			continue
		}
		for _, i := range f.Imports {
			path, _ := strconv.Unquote(i.Path.Value)
			to, tool := roomOf(strings.TrimPrefix(path, ours+"/"))
			if _, isRoom := onlyFrom[to]; !tool || !isRoom || to == from || slices.Contains(onlyFrom[from], to) {
				continue
			}
			all = append(all, t.complain(f, i.Pos(), "%s imports from the room %s%s; it may do so from %s; move what is shared down", f.Package, toolRooms, to, allowed(from)))
		}
	}
	return all
}

// roomOf returns the room of a folder: the lowest folder around it that is named. If none is, that
// is its first name below cmd/internal.
func roomOf(folder string) (room string, ok bool) {
	room, ok = strings.CutPrefix(folder, toolRooms)
	for {
		around := strings.LastIndexByte(room, '/')
		if _, named := onlyFrom[room]; named || around < 0 {
			return room, ok
		}
		room = room[:around]
	}
}

// allowed names the rooms that a room imports from.
func allowed(room string) string {
	return strings.Join(append(slices.Clone(onlyFrom[room]), "the ground"), ", ")
}

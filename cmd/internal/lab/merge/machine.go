package merge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/lab/record"
	"github.com/coppice-go/coppice/cmd/internal/stats/across"
)

// A Machine is a block of sessions, whose rounds are compared only with each other.
type Machine struct {
	Name     string `json:"name"`
	Kind     string `json:"kind"` // processor and number of cores
	Sessions int    `json:"sessions"`

	runs []record.Session
}

// machines groups the sessions by machine and gives each machine a distinct name. A machine is
// identified by the name that a scheduler gives it or, failing that, by the hash of its host name.
// Old sessions record neither. Such sessions are attributed to the same machine if their processor,
// number of cores and memory size are equal; in this case, guessed is true.
func machines(sessions []record.Session) (all []Machine, guessed bool) {
	nodes := map[string]string{} // scheduler's name by host, for hosts with exactly one such name
	for _, s := range sessions {
		v := s.Environment.Values
		if host, node := v[hostKey], v[nodeKey]; host != "" && node != "" {
			if other, known := nodes[host]; known && other != node {
				node = ""
			}
			nodes[host] = node
		}
	}
	for _, s := range sessions {
		v := s.Environment.Values
		kind := across.KindOf(v)
		name := cmp.Or(v[nodeKey], nodes[v[hostKey]], v[hostKey])
		if name == "" {
			name = across.Guessed(v)
			guessed = true
		}
		at := slices.IndexFunc(all, func(m Machine) bool { return m.Name == name && m.Kind == kind })
		if at < 0 {
			at, all = len(all), append(all, Machine{Name: name, Kind: kind})
		}
		all[at].Sessions++
		all[at].runs = append(all[at].runs, s)
	}
	slices.SortStableFunc(all, func(a, b Machine) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), compareNames(a.Name, b.Name)) })
	nameApart(all)
	return all, guessed
}

// nameApart appends the kind of machine to names that several machines share, as virtual machines
// from the same image often do. Names must be distinct because tables have one row per name.
func nameApart(all []Machine) {
	count := map[string]int{}
	for _, m := range all {
		count[m.Name]++
	}
	for i, m := range all {
		if count[m.Name] > 1 {
			all[i].Name = fmt.Sprintf("%s (%s)", m.Name, m.Kind)
		}
	}
}

// compareNames compares names by their numeric suffixes, so that node10 comes after node9.
func compareNames(a, b string) int {
	head := func(s string) (string, int) {
		word := strings.TrimRight(s, "0123456789")
		n := 0
		_, _ = fmt.Sscan(s[len(word):], &n) // n remains 0 if there are no digits
		return word, n
	}
	x, i := head(a)
	y, j := head(b)
	return cmp.Or(cmp.Compare(x, y), cmp.Compare(i, j), cmp.Compare(a, b))
}

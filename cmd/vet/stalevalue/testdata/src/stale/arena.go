package stale

import (
	"github.com/coppice-go/coppice/arena"
	"github.com/coppice-go/coppice/slab"
)

func arenaReset(a *arena.Arena) int {
	l := arena.New[leaf](a)
	a.Reset()
	return l.value // want `the \*leaf of an arena.Arena is used after Reset`
}

func arenaString(a *arena.Arena, token []byte) string {
	name := a.String(token)
	a.Reset()
	return name // want `the string of an arena.Arena is used after Reset`
}

func arenaConcat(a *arena.Arena, schema, table string) string {
	name := a.Concat(schema, ".", table)
	a.Reset()
	return name // want `the string of an arena.Arena is used after Reset`
}

func arenaJoin(a *arena.Arena, lines []string) string {
	text := a.Join(lines, "\n")
	a.Reset()
	return text // want `the string of an arena.Arena is used after Reset`
}

func arenaAppend(a *arena.Arena, all []int) int {
	all = arena.Append(a, all, 1)
	a.Reset()
	return all[0] // want `the \[\]int of an arena.Arena is used after Reset`
}

func arenaCopy(a *arena.Arena) int {
	l := arena.Copy(a, &leaf{value: 1})
	a.Reset()
	return l.value // want `the \*leaf of an arena.Arena is used after Reset`
}

func arenaGrow(a *arena.Arena, all []int) int {
	all = arena.Grow(a, all, 1)
	a.Reset()
	return all[0] // want `the \[\]int of an arena.Arena is used after Reset`
}

func arenaOf(a *arena.Arena) int {
	leaves := arena.Of[leaf](a)
	l := leaves.New()
	a.Reset()
	return l.value // want `is used after Reset`
}

func rewound(a *arena.Arena) int {
	old := arena.New[leaf](a)
	mark := a.Mark()
	young := arena.New[leaf](a)
	a.Rewind(mark)
	return old.value + young.value // want `the \*leaf of an arena.Arena is used after Rewind`
}

func slabRewound(s *slab.Slab[leaf]) int {
	mark := s.Mark()
	l := s.New()
	s.Rewind(mark)
	return l.value // want `the \*leaf of a slab.Slab is used after Rewind`
}

func olderThanMark(a *arena.Arena) int {
	old := arena.New[leaf](a)
	mark := a.Mark()
	young := arena.New[leaf](a)
	sum := young.value
	a.Rewind(mark)
	return sum + old.value
}

func rewoundEveryTurn(a *arena.Arena, inputs []int) (sum int) {
	for range inputs {
		mark := a.Mark()
		sum += arena.New[leaf](a).value
		a.Rewind(mark)
	}
	return sum
}

func keptBeforeNextMark(a *arena.Arena, inputs []int) int {
	var best *leaf
	for i := range inputs {
		mark := a.Mark()
		l := arena.New[leaf](a)
		if i == 7 {
			best = l
			continue
		}
		a.Rewind(mark)
	}
	return best.value
}

func slabOfArena(a *arena.Arena) int {
	leaves := arena.Of[leaf](a)
	n := arena.New[int](a)
	leaves.Reset()
	return *n
}

func copiedOut(a *arena.Arena, token []byte) string {
	name := string([]byte(a.String(token)))
	a.Reset()
	return name
}

func released2(a *arena.Arena) int {
	l := arena.New[leaf](a)
	a.Release() // what is held stays as it is
	return l.value
}

func grewInPlace(a *arena.Arena, inputs []int) []int {
	var all []int
	for _, in := range inputs {
		mark := a.Mark()
		all = arena.Append(a, all, in)
		if in < 0 {
			a.Rewind(mark)
			all = all[:len(all)-1]
		}
	}
	return all
}

package arena

import (
	"fmt"

	"github.com/coppice-go/coppice/internal/checks"
)

// verify checks the invariants in the package documentation. It returns an error that describes the
// violated invariant and its likely cause, or nil if all invariants hold. It checks each type that
// the arena has seen and each Mark, but not the invariants of the slabs, which verify themselves.
func (a *Arena) verify() error {
	if err := a.verifySlabs(); err != nil {
		return err
	}
	if err := a.verifyTypes(); err != nil {
		return err
	}
	if p := &a.plain; p.spare < 0 || p.spare >= wordBytes || p.spare > 0 && len(p.last) == 0 {
		return fmt.Errorf("the last slice ends %d bytes before its %d words do; %s", p.spare, len(p.last), checks.Misused)
	}
	return a.verifyMarks()
}

// verifyTypes verifies that a search of the table finds each of its types, and that the slab of
// each type is in the list of slabs.
func (a *Arena) verifyTypes() error {
	found, types := 0, 0
	for i, e := range a.types.entries {
		if e.typ == 0 {
			continue
		}
		types++
		if a.types.find(e.typ) != i {
			return fmt.Errorf("looking up %s in the type table finds nothing or another type; %s", a.types.known[i].typ, checks.Misused)
		}
		if a.types.known[i].slab != nil {
			found++
		}
	}
	if typed := max(0, len(a.slabs)-plainSlabs); found != typed || types != a.types.types {
		return fmt.Errorf("the table has %d of %d types, and finds %d of %d slabs; %s", types, a.types.types, found, typed, checks.Misused)
	}
	return nil
}

// verifySlabs verifies that the phase lists each slab at most once, that it lists every slab with
// values, and that the sizes of the slabs add up to the total in the account.
func (a *Arena) verifySlabs() error {
	held := uint64(0)
	for _, m := range a.slabs {
		held += m.Stats().Size
	}
	if held != a.account.Held {
		return fmt.Errorf("%d bytes are recorded, but the slabs hold %d; %s", a.account.Held, held, checks.Misused)
	}
	used := map[int]bool{}
	for _, place := range a.account.Used {
		if used[place] || place < 0 || place >= len(a.slabs) {
			return fmt.Errorf("slab index %d is listed twice, or is out of range for %d slabs; %s", place, len(a.slabs), checks.Misused)
		}
		used[place] = true
	}
	for place, m := range a.slabs {
		if m.Stats().Len > 0 && !used[place] {
			return fmt.Errorf("slab %d has values, and is not in the list of those that this phase uses; %s", place, checks.Misused)
		}
	}
	return nil
}

// verifyMarks verifies that each Mark recorded a prefix of the slabs in use, and that the prefix is
// not shorter than the prefix of the previous Mark.
func (a *Arena) verifyMarks() error {
	end, saw := len(a.seen), len(a.account.Used)
	for i := len(a.marks) - 1; i >= 0; i-- {
		m := a.marks[i]
		if n := end - m.seen; n < 0 || n > saw || i > 0 && a.marks[i-1].serial >= m.serial {
			return fmt.Errorf("Mark %d of %d has seen %d slabs of %d, or is out of order; %s", i, len(a.marks), n, saw, checks.Misused)
		}
		end, saw = m.seen, end-m.seen
	}
	if end != 0 {
		return fmt.Errorf("%d Marks of slabs belong to no Mark; %s", end, checks.Misused)
	}
	return nil
}

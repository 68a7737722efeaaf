package arena

import (
	"fmt"

	"github.com/coppice-go/coppice/internal/checks"
)

// verify says which invariant of the package document does not hold, if any, and the likely cause.
// It looks at each type that the arena has met and at each Mark. The slabs look at themselves.
func (a *Arena) verify() error {
	listed := map[any]bool{}
	for _, s := range a.slabs {
		listed[s] = true
	}
	if len(listed) != len(a.slabs) || len(a.came) != len(a.slabs) {
		return fmt.Errorf("%d slabs came, and %d are in the list of %d; %s", len(a.came), len(listed), len(a.slabs), checks.Misused)
	}
	found := 0
	for _, bucket := range a.types {
		types := map[string]bool{}
		for _, entry := range bucket {
			name := fmt.Sprintf("%T", entry)
			if types[name] {
				return fmt.Errorf("the table has two entries %s; %s", name, checks.Misused)
			}
			types[name] = true
			if listed[entry] {
				found++
			}
		}
	}
	if found != len(listed) {
		return fmt.Errorf("the table finds %d of %d slabs; %s", found, len(listed), checks.Misused)
	}
	if p := &a.plain; p.spare < 0 || p.spare >= wordBytes || p.spare > 0 && len(p.last) == 0 {
		return fmt.Errorf("the last slice ends %d bytes before its %d words do; %s", p.spare, len(p.last), checks.Misused)
	}
	return a.verifyMarks()
}

// verifyMarks is verify for the Marks: each has seen a prefix of the slabs that there are, no
// shorter than that of the Mark before.
func (a *Arena) verifyMarks() error {
	end, saw := len(a.seen), plainSlabs+len(a.slabs)
	for i := len(a.marks) - 1; i >= 0; i-- {
		m := a.marks[i]
		if n := end - m.seen; n < plainSlabs || n > saw || i > 0 && a.marks[i-1].serial >= m.serial {
			return fmt.Errorf("Mark %d of %d has seen %d slabs of %d, or is out of order; %s", i, len(a.marks), n, saw, checks.Misused)
		}
		end, saw = m.seen, end-m.seen
	}
	if end != 0 {
		return fmt.Errorf("%d Marks of slabs belong to no Mark; %s", end, checks.Misused)
	}
	return nil
}

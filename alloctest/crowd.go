package alloctest

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
)

// A crowd is a large set of live values. To fit ten million values into memory, it stores only the
// name and the original address of each value, and the values point to shared variables. A crowd is
// checked only a few times, not after every call.
type crowd struct {
	c       *trial
	members []member
}

// A member is one value of a crowd.
type member struct {
	name   any
	start  uintptr // address at which the value was allocated; 0 if it may move
	number uint64  // number that determines the contents
}

// newCrowd allocates n values, checks that they are zero if the allocator promises it, and fills
// them. The parameter since is the part of failure messages that describes what happened before.
func (c *trial) newCrowd(n int, since string) *crowd {
	all := &crowd{c: c, members: make([]member, 0, c.fits(n))}
	all.add(n, since)
	return all
}

// add adds n values to the crowd.
func (all *crowd) add(n int, since string) {
	c := all.c
	calls := "New"
	switch {
	case c.a.New == nil:
		calls = "Alloc"
	case c.a.Alloc != nil:
		calls = "New or Alloc"
	}
	v := c.plan.new() // argument of each call to Alloc; there is only one, because it may be large
	for i := range c.fits(n) {
		c.number++
		c.history.add(calls)
		var name any
		var p value
		if c.a.New == nil || c.a.Alloc != nil && i/500%2 == 1 {
			fill(c.plan, v, c.crowdManner(c.number))
			name = c.a.Alloc(v)
			p = c.find(name)
		} else {
			name, p = c.a.New()
			c.mustBeFresh(p, i, since)
			fill(c.plan, p, c.crowdManner(c.number))
		}
		one := member{name: name, number: c.number}
		if !c.a.Moves {
			one.start = address(p)
		}
		all.members = append(all.members, one)
		c.others++
	}
}

// crowdManner determines how a crowd fills the value with the given number. Values share the
// targets of their pointers. If the allocator copies the targets, each value gets its own string
// instead, because the string may be the name of the value.
func (c *trial) crowdManner(number uint64) manner {
	return manner{number: number, crowd: !c.a.Copies}
}

// mustBeFresh fails the test if New returned nil or a value that is not zero.
func (c *trial) mustBeFresh(p value, i int, since string) {
	if p == nil {
		c.fail("New returned nil for the %s%s", c.nth(c.number), c.roomHint())
	}
	if c.a.Dirty || c.promise == Distinct {
		return
	}
	if field := notZero(c.plan, p); field != "" {
		c.fail("the %s value %s is not zero%s when New hands it out", ordinal(uint64(i+1)), since, within(field))
	}
}

// verify checks all values of the crowd.
func (all *crowd) verify() {
	c := all.c
	for _, one := range all.members {
		p := c.find(one.name)
		if one.start != 0 && one.start != address(p) {
			c.fail("the %s was at %#x when it was handed out, and is at %p after the %s", c.nth(one.number), one.start, p, c.nth(c.number))
		}
		if field := differs(c.plan, p, c.crowdManner(one.number)); field != "" {
			c.fail("the %s has changed%s, by the time of the %s%s", c.nth(one.number), within(field), c.nth(c.number), c.holds(p, all.numbers()))
		}
	}
}

// mustBeDistinct fails the test if two values of the crowd share a name or a byte.
func (all *crowd) mustBeDistinct() {
	if all.c.plan.size == 0 {
		return // zero-size values may share one address
	}
	if all.c.a.Moves { // At may return the address of a copy
		all.mustHaveNames()
		return
	}
	size := all.c.plan.size
	starts := make([]uintptr, len(all.members))
	for i, one := range all.members {
		starts[i] = one.start
	}
	slices.Sort(starts)
	for i := 1; i < len(starts); i++ {
		if starts[i]-starts[i-1] < size {
			all.share(starts[i-1], starts[i])
		}
	}
}

// share fails the test and reports that the values at the addresses low and high overlap.
func (all *crowd) share(low, high uintptr) {
	var who []member
	for _, one := range all.members {
		if one.start == low || one.start == high {
			who = append(who, one)
		}
	}
	all.c.fail("two live values share memory: the %s starts at %#x and the %s at %#x, and each takes %d bytes",
		all.c.nth(who[0].number), who[0].start, all.c.nth(who[1].number), who[1].start, all.c.plan.size)
}

// mustHaveNames fails the test if two values have the same name.
func (all *crowd) mustHaveNames() {
	names := make(map[any]uint64, len(all.members))
	for _, one := range all.members {
		if before, taken := names[one.name]; taken {
			all.c.fail("two live values have the name %v: the %s and the %s", one.name, all.c.nth(before), all.c.nth(one.number))
		}
		names[one.name] = one.number
	}
}

// thin deletes all values for which drop returns true.
func (all *crowd) thin(drop func(number uint64) bool) {
	c := all.c
	stay := all.members[:0]
	for _, one := range all.members {
		if !drop(one.number) {
			stay = append(stay, one)
			continue
		}
		c.history.add("Delete")
		c.a.Delete(one.name)
		c.others--
	}
	clear(all.members[len(stay):])
	all.members = stay
}

// everyOne and oneInThree are arguments for thin. They select all values, or a third of them.
func everyOne(uint64) bool          { return true }
func oneInThree(number uint64) bool { return pattern(number, 0)>>8%3 == 0 }

// numbers returns an iterator over the numbers of the values in the crowd.
func (all *crowd) numbers() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for _, one := range all.members {
			if !yield(one.number) {
				return
			}
		}
	}
}

// numbersOfLive returns an iterator over the numbers of the live values that are not in a crowd.
func (c *trial) numbersOfLive() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for _, e := range c.live {
			if !yield(e.number) {
				return
			}
		}
	}
}

// holds returns a phrase for a failure message that describes the contents of a changed value. It
// reports that the value is zero, or that it has the contents of another value. If neither is the
// case, holds returns "".
func (c *trial) holds(p value, numbers iter.Seq[uint64]) string {
	if c.plan.size < 4 {
		return "" // small values often have the same contents by chance
	}
	if notZero(c.plan, p) == "" {
		return "; it is zero"
	}
	for number := range numbers {
		for _, m := range []manner{{number: number}, c.crowdManner(number)} {
			if differs(c.plan, p, m) == "" {
				return "; it holds what was written to the " + c.nth(number)
			}
		}
	}
	return ""
}

// within formats the position of a field in a value, for a failure message. It returns "" if the
// field is the whole value.
func within(field string) string {
	if field == "value" {
		return ""
	}
	return " at " + field
}

// nth formats the position of the value with the given number, such as "65,537th value".
func (c *trial) nth(number uint64) string {
	text := ordinal(number&(1<<32-1)) + " value"
	if c.promise == Concurrent || c.promise == Separate {
		text += fmt.Sprintf(" of goroutine %d", number>>40+1)
	}
	return text
}

// ordinal formats an ordinal number, such as "2nd".
func ordinal(number uint64) string {
	suffix := "th"
	if tens := number / 10 % 10; tens != 1 {
		switch number % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return commas(number) + suffix
}

// commas formats a number with thousands separators, such as "65,537".
func commas(number uint64) string {
	if number < 1000 {
		return strconv.FormatUint(number, 10)
	}
	return fmt.Sprintf("%s,%03d", commas(number/1000), number%1000)
}

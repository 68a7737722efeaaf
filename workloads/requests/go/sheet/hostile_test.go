package sheet

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coppice-go/coppice/arena"
	"github.com/coppice-go/coppice/internal/machine"
)

// names returns a sheet that defines count names.
func names(count int) string {
	var b strings.Builder
	for i := range count {
		fmt.Fprintf(&b, "let a%d = 1;", i)
	}
	return b.String()
}

// doubled returns a sheet that defines count names: a0 with the expression first, and each further
// name with the expression next, in which the previous name replaces every x.
func doubled(first, next string, count int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "let a0 = %s;", first)
	for i := 1; i < count; i++ {
		fmt.Fprintf(&b, "let a%d = %s;", i, strings.ReplaceAll(next, "x", fmt.Sprintf("a%d", i-1)))
	}
	return b.String()
}

// TestHostileSheets verifies that sheets that would exhaust the service's memory or time are
// refused quickly, with a one-line error.
func TestHostileSheets(t *testing.T) {
	const deeper, work = "nested deeper than 500", "the sheet takes more than 1048576 units of work"
	manyFields := strings.Builder{}
	for i := range maxFields + 1 {
		fmt.Fprintf(&manyFields, "f%d: 1,", i)
	}
	loops := strings.Repeat("[for x in l yield ", 8) + "1" + strings.Repeat("]", 8)
	numbers := "let l = [" + strings.Repeat("1,", 100) + "];"
	for name, c := range map[string]struct{ source, want string }{
		"parentheses":     {"let a = " + strings.Repeat("(", 1<<20), deeper},
		"lists":           {"let a = " + strings.Repeat("[", 1<<20), deeper},
		"records":         {"let a = " + strings.Repeat("{a:", 1<<20), deeper},
		"calls":           {"let a = " + strings.Repeat("sum(", 1<<20), deeper},
		"signs":           {"let a = " + strings.Repeat("-", 1<<20), deeper},
		"nots":            {"let a = " + strings.Repeat("not ", 1<<20), deeper},
		"ifs":             {"let a = " + strings.Repeat("if ", 1<<20), deeper},
		"elses":           {"let a = " + strings.Repeat("if true then 1 else ", 1<<17), deeper},
		"indexes":         {"let a = " + strings.Repeat("l[", 1<<20), `nothing above is called "l"`},
		"a chain":         {"let a = 1" + strings.Repeat("+1", 1<<20) + ";", deeper},
		"a chain of dots": {"let a = {}" + strings.Repeat(".b", 1<<20) + ";", deeper},
		"names":           {names(maxNames + 1), "more than 256 names are known here"},
		"fields":          {"let a = {" + manyFields.String() + "};", "the record has more than 64 fields"},
		"doubled texts":   {doubled(`"xxxxxxxxxxxxxxxx"`, "x + x", 60), work},
		"joined texts":    {doubled(`"xxxxxxxxxxxxxxxx"`, `join([x,x,x,x,x,x,x,x], x)`, 20), work},
		"capitals":        {doubled(`"xxxxxxxxxxxxxxxx"`, "x + x", 17) + numbers + "let b = [for x in l yield upper(a16)];", work},
		"comparisons":     {doubled(`"xxxxxxxxxxxxxxxx"`, "x + x", 16) + numbers + "let b = [for x in l yield a15 == a15];", work},
		"loops":           {numbers + "let b = " + loops + ";", work},
		"loops of sums":   {numbers + "let m = [for x in l yield [for y in l yield y]]; let b = [for x in l yield [for y in l yield sum(m[0])]];", work},
		"a wide answer":   {doubled("[1]", "[x, x]", 60) + "show b = a59;", work},
		"a deep answer":   {doubled("[1]", strings.Repeat("[", 400)+"x"+strings.Repeat("]", 400), 3) + "show b = a2;", "its value is nested deeper than 500"},
		"long names":      {"let r = {" + strings.Repeat("n", 1<<19) + ": 1};" + numbers + "show b = [for x in l yield r];", work},
	} {
		before, unknown := machine.OwnUsage()
		got, err := both(t, c.source)
		if err == nil || !strings.HasSuffix(err.Error(), c.want) || got != "" || len(err.Error()) > 200 {
			t.Errorf("%s gives %.100q and the error %.300v, want %s", name, got, err, c.want)
		}
		after, _ := machine.OwnUsage()
		if took := after.CPU() - before.CPU(); took > 20*time.Second && unknown == nil { // usually it takes less than a second
			t.Errorf("%s took %v of the processor", name, took)
		}
	}
}

// TestWorkBoundsMemory verifies that the limit of work also limits the memory that the most
// expensive sheets take from an arena.
func TestWorkBoundsMemory(t *testing.T) {
	for name, source := range map[string]string{
		"texts":  doubled(`"xxxxxxxxxxxxxxxx"`, "x + x", 60),
		"lists":  "let l = [" + strings.Repeat("1,", 1000) + "]; let b = [for x in l yield [for y in l yield [y]]];",
		"answer": doubled("[1]", "[x, x]", 60) + "show b = a59;",
	} {
		var a arena.Arena
		if _, err := answer(&a, source); err == nil {
			t.Errorf("%s is not refused", name)
		}
		if held := a.Stats().Size; held > 256<<20 {
			t.Errorf("%s took %d bytes", name, held)
		}
	}
}

func TestTooLargeSource(t *testing.T) {
	if _, err := Parse(nil, strings.Repeat(" ", maxSource+1)); err == nil || err.Error() != "line 1, column 1: the sheet is too large" {
		t.Errorf("error %v", err)
	}
}

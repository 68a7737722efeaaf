package experiment

import (
	"strings"
	"testing"
)

const grouped = `name = "x"
title = "What?"
[[contender]]
name = "b"
class = "open"
group = "two"
baseline = "b"
run = ["b"]
`

const groupedLanguage = `group = "one"
baseline = "a"
[[contender]]
name = "a"
class = "open"
run = ["a"]
[[contender]]
name = "a GOGC=400"
class = "open"
run = ["a"]
[[contender]]
name = "b chunk"
class = "open"
group = "two"
baseline = "b"
run = ["b"]
`

// A contender has the group and the baseline of its file, unless it declares its own. The settings
// of a run, such as GOGC, follow the contender's name and do not change its group.
func TestGroups(t *testing.T) {
	e, err := declare(grouped, groupedLanguage)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"a": "one a", "a GOGC=400": "one a", "a GOGC=50": "one a", "b": "two b", "b chunk": "two b", "b chunk GOMEMLIMIT=1GiB": "two b", "gone": " ",
	} {
		if got := e.GroupOf(name) + " " + e.BaselineOf(name); got != want {
			t.Errorf("%s has group and baseline %q, want %q", name, got, want)
		}
	}
}

func TestBaselinesAreOfTheGroup(t *testing.T) {
	for want, language := range map[string]string{
		`contender "b chunk" of group "two" has a baseline of group "one"`: strings.Replace(groupedLanguage, `baseline = "b"`, `baseline = "a"`, 1),
		`the baseline "a GOGC=50" is not a contender`:                      strings.Replace(groupedLanguage, `baseline = "a"`, `baseline = "a GOGC=50"`, 1),
	} {
		if _, err := declare(grouped, language); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

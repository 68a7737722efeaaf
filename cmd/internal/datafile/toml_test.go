package datafile

import (
	"regexp"
	"strings"
	"testing"
)

// file is the type that the tests decode. It has a field of each supported type.
type file struct {
	Name    string            `toml:"name,omitempty"`
	Depth   int               `toml:"depth"`
	Small   uint8             `toml:"small"`
	Part    float64           `toml:"part"`
	Single  bool              `toml:"single"`
	Run     []string          `toml:"run"`
	Depths  []int             `toml:"depths"`
	Parts   []float64         `toml:"parts"`
	Answers []bool            `toml:"answers"`
	Env     map[string]string `toml:"env"`
	Needs   []need            `toml:"needs"`
	Table   *need             `toml:"table"`
	Deep    []deep            `toml:"deep"`
	Folder  string            `toml:"-"`
}

type need struct {
	Command string `toml:"command"`
	Package string `toml:"package"`
}

type deep struct {
	Rows                   []need `toml:"row"`
	A, B, C, D, E, F, G, H int
}

// TestErrorsOfTOML verifies that every error fits on one line, gives the file, the line and the
// key, and describes the expected value in plain words rather than as a Go type.
func TestErrorsOfTOML(t *testing.T) {
	goWords := regexp.MustCompile(`\[\]|struct|float64|uint8|\bint\b|\bbool\b|map\[|datafile|strict mode|\btoml: |integer|float|boolean|array`)
	for text, want := range map[string]string{
		"name = 1":                          `x.toml:1:8: name: want a string, such as "a", not a whole number`,
		"\nname = [\"a\"]":                  `x.toml:2:8: name: want a string, such as "a", not a list`,
		"name = 1979-05-27":                 `x.toml:1:8: name: want a string, such as "a", not a local date`,
		"name = {a = 1}":                    `x.toml:1:8: name: want a string, such as "a", not a table`,
		"name = 1979-05-27T07:32:00Z":       `not a datetime`,
		"depth = 1.5":                       `x.toml:1:9: depth: want a whole number, such as 1, not a number with a point`,
		"depth = \"x\"":                     `depth: want a whole number, such as 1, not a string`,
		"depth = true":                      `depth: want a whole number, such as 1, not true or false`,
		"depth = 99999999999999999999":      `x.toml:1:9: depth: decimal number is too large to fit in 64 bits`,
		"small = 256":                       `small: out of range: want a whole number, such as 1`,
		"small = -1":                        `small: out of range: want a whole number, such as 1`,
		"part = \"x\"":                      `part: want a number, such as 1.5, not a string`,
		"single = \"yes\"":                  `single: want true or false, not a string`,
		"run = \"echo 1\"":                  `x.toml:1:7: run: want a list of strings, such as ["a", "b"], not a string`,
		"run = [\"a\", 1]":                  `x.toml:1:13: run: want a list of strings, such as ["a", "b"], but it contains a whole number`,
		"run = [[\"a\"]]":                   `run: want a list of strings, such as ["a", "b"], but it contains a list`,
		"depths = [\"a\"]":                  `depths: want a list of whole numbers, such as [1, 2], but it contains a string`,
		"parts = 1":                         `parts: want a list of numbers, such as [1.5, 2], not a whole number`,
		"answers = 1":                       `answers: want a list of true or false, such as [true, false], not a whole number`,
		"env = \"x\"":                       `env: want a table of strings, such as { NAME = "value" }, not a string`,
		"env = {A = 1}":                     `env: want a table of strings, such as { NAME = "value" }, but it contains a whole number`,
		"[env]\nA = 1":                      `x.toml:2:5: env.A: want a string, such as "a", not a whole number`,
		"needs = \"cargo\"":                 `needs: want a list of tables with the keys command and package, not a string`,
		"needs = [\"cargo\"]":               `needs: want a list of tables with the keys command and package, but it contains a string`,
		"needs = [{command = 1}]":           `needs: want a list of tables with the keys command and package, but it contains a whole number`,
		"table = 1":                         `table: want a table with the keys command and package, not a whole number`,
		"[[table]]\ncommand = \"a\"":        `x.toml:1:3: table: want one table, [table]`,
		"deep = \"a\"":                      `deep: want tables, [[deep]], not a string`,
		"[[deep]]\nrow = 1":                 `deep.row: want a list of tables with the keys command and package, not a whole number`,
		"[[deep]]\n[[deep.row]]\npackage=1": `x.toml:3:9: deep.row.package: want a string, such as "a", not a whole number`,
		"[name]\na = 1":                     `x.toml:1:2: name: want a string, such as "a"`,
		"[[name]]\na = 1":                   `name: want a string, such as "a"`,
		"name.a = 1":                        `name.a: want a string, such as "a", not a table`,
		"nmae = 1":                          `x.toml:1: unknown key nmae; the keys are in KEYS`,
		"[[deep]]\nrwo = 1":                 `x.toml:2: unknown key deep.rwo; the keys are in KEYS`,
		"Folder = 1":                        `unknown key Folder`,
		"\"n\\nm\" = 1":                     `x.toml:1: unknown key "n\nm"; the keys`,
		strings.Repeat("x", 9999) + " = 1":  "unknown key xxxxx",
		"name = x":                          `x.toml:1:8: `,
		"name = \"a":                        `x.toml:1:`,
		"name":                              `x.toml:1:`,
		"name = \"a\"\nname = \"b\"":        `x.toml:2:1: name: key name is already defined`,
		"\xff = 1":                          `x.toml:1:1: `,
	} {
		var into file
		err := TOML("x.toml", []byte(text), &into, "KEYS")
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") || len(err.Error()) > 200 || goWords.MatchString(strings.ReplaceAll(err.Error(), "[[", "")) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestTOML(t *testing.T) {
	var into file
	text := "name = \"a\"\nrun = [\"b\"]\n[env]\nA = \"c\"\n[table]\ncommand = \"d\"\n"
	if err := TOML("x.toml", []byte(text), &into, ""); err != nil || into.Name+into.Run[0]+into.Env["A"]+into.Table.Command != "abcd" {
		t.Errorf("%+v, %v", into, err)
	}
	if err := TOML("x.toml", []byte("nmae = 1"), &into, ""); err == nil || err.Error() != "x.toml:1: unknown key nmae" {
		t.Error(err)
	}
}

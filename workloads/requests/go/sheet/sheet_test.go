package sheet

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/arena"
)

// prices is a catalog with two products.
func prices(sku string) (int64, bool) {
	cents, ok := map[string]int64{"p1": 100, "p2": 250}[sku]
	return cents, ok
}

// answer parses and evaluates a source, with memory from the arena, or from the Go heap if the
// arena is nil.
func answer(a *arena.Arena, source string) (string, error) {
	s, err := Parse(a, source)
	if err != nil {
		return "", err
	}
	b, err := s.AppendAnswer(nil, prices)
	return string(b), err
}

// both evaluates the source with the Go heap and with an arena, and fails if the results differ. It
// resets the arena before it compares them, so that a result that is still in the arena is
// detected.
func both(t interface{ Fatalf(string, ...any) }, source string) (string, error) {
	var a arena.Arena
	got, err := answer(nil, source)
	again, againErr := answer(&a, a.CloneString(source))
	a.Reset()
	arena.Make[byte](&a, 2*len(source)+100) // overwrites stale data with zeros
	if got != again || fmt.Sprint(err) != fmt.Sprint(againErr) {
		t.Fatalf("%.200q: the Go heap gives\n%.300q, %v, an arena\n%.300q, %v", source, got, err, again, againErr)
	}
	return got, err
}

func TestAnswers(t *testing.T) {
	for source, want := range map[string]string{
		``:                                         `{}`,
		`title "x"; # only a title`:                `{}`,
		`let a = 1;`:                               `{}`,
		`show a = 1 + 2 * 3 - 4;`:                  `{"a":3}`,
		`show a = 10 - 3 - 2; show b = 7 / 2;`:     `{"a":5,"b":3}`,
		`show a = -7 / 2; show b = -7 % 3;`:        `{"a":-3,"b":-1}`,
		`show a = -(2 + 3) * - -2;`:                `{"a":-10}`,
		`show a = not (1 > 2) and (true or 1==2);`: `{"a":true}`,
		`show a = false and 1/0 == 1;`:             `{"a":false}`,
		`show a = true or 1/0 == 1;`:               `{"a":true}`,
		`show a = if 1 < 2 then "y" else 1/0;`:     `{"a":"y"}`,
		`show a = "a" + "b" < "b"; show b = "a" != "a"; show c = 2 >= 2; show d = 2 <= 1;`: `{"a":true,"b":false,"c":true,"d":false}`,
		`show a = true == false; show b = true != false;`:                                  `{"a":false,"b":true}`,
		`show a = [1, [2], [], "x",];`:                                                     `{"a":[1,[2],[],"x"]}`,
		`let r = {a: 1, b: {c: "x"},}; show x = r; show y = r.b.c;`:                        `{"x":{"a":1,"b":{"c":"x"}},"y":"x"}`,
		`show a = [[1, 2], [3]][0][1];`:                                                    `{"a":2}`,
		`let l = [3, 1, 2]; show a = [for x in l where x > 1 yield x*x];`:                  `{"a":[9,4]}`,
		`show a = [for x in [1, 2] yield [for y in [1, 2] yield x * y]];`:                  `{"a":[[1,2],[2,4]]}`,
		`let x = 1; show a = [for x in [5] yield x]; show b = x;`:                          `{"a":[5],"b":1}`,
		`show a = [for x in [] yield x / 0];`:                                              `{"a":[]}`,
		`let l = [4, 9, 2]; show a = [sum(l), max(l), min(l), count(l)];`:                  `{"a":[15,9,2,3]}`,
		`show a = sum([]); show b = count([]); show c = join([], "-");`:                    `{"a":0,"b":0,"c":""}`,
		`show a = join(["x", "y", "z"], ", ") + upper("aßz");`:                             `{"a":"x, y, zAßZ"}`,
		`show a = text(-12) + text(0); show p = price("p2");`:                              `{"a":"-120","p":250}`,
		`show a = "q\" b\\ n\n t\t";`:                                                      `{"a":"q\" b\\ n\n t\t"}`,
		"show a = \"\x01\x7fü\";":                                                          "{\"a\":\"\\u0001\x7fü\"}",
		`show a = 9223372036854775807; show b = -9223372036854775807-1;`:                   `{"a":9223372036854775807,"b":-9223372036854775808}`,
		"show\ta=1\r\n;": `{"a":1}`,
	} {
		got, err := both(t, source)
		if err != nil || got != want+"\n" {
			t.Errorf("%s\ngives %q, %v, want %s", source, got, err, want)
		}
		if !json.Valid([]byte(got)) {
			t.Errorf("%s\ngives %q, which is no JSON", source, got)
		}
	}
}

func TestTitle(t *testing.T) {
	s, err := Parse(nil, `title "An \"order\"";`)
	if err != nil || s.Title != `An "order"` {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestErrors verifies that every error is one line that begins with the position of the mistake.
func TestErrors(t *testing.T) {
	for source, want := range map[string]string{
		`a = 1;`:                                    `line 1, column 1: want let or show, and here is "a"`,
		"let a = 1;\nlet b = 2":                     `line 2, column 10: want ";", and the sheet ends`,
		"# é\nlet b = 2 3;":                         `line 2, column 11: want ";", and here is "3"`,
		`let ü = 1;`:                                `line 1, column 5: "ü" means nothing here`,
		"let a = \"é\xff\";":                        `line 1, column 11: this is not UTF-8`,
		`let a = "x`:                                `line 1, column 9: the text does not end`,
		"let a = \"x\n\";":                          `line 1, column 9: the text does not end on its line`,
		"let a = \"\\\"x\n\";":                      `line 1, column 9: the text does not end on its line`,
		`let a = "\`:                                `line 1, column 10: after \ comes one of \ " n t`,
		`let a = "\n`:                               `line 1, column 9: the text does not end`,
		`let a = "\u0041";`:                         `line 1, column 10: after \ comes one of \ " n t`,
		`let a = 1.5;`:                              `line 1, column 10: a number is whole and ends where its digits end`,
		`let a = 9223372036854775808;`:              `line 1, column 9: the number is greater than 9223372036854775807`,
		`let if = 1;`:                               `line 1, column 5: want a name, and here is "if"`,
		`title 5;`:                                  `line 1, column 7: want a text, and here is "5"`,
		`let "x" = 1;`:                              `line 1, column 5: want a name, and here is a text`,
		`let a = 1; let a = 2;`:                     `line 1, column 16: "a" is defined twice`,
		`let a = a;`:                                `line 1, column 9: nothing above is called "a"`,
		`let a = [for x in [1] yield y];`:           `line 1, column 29: nothing above is called "y"`,
		`let a = [for x in x yield 1];`:             `line 1, column 19: nothing above is called "x"`,
		`let a = 1 < 2 < 3;`:                        `line 1, column 15: want no second comparison without ( ), and here is "<"`,
		`let a = (1;`:                               `line 1, column 11: want ")", and here is ";"`,
		`let a = [1 2];`:                            `line 1, column 12: want "," or "]", and here is "2"`,
		`let a = {1: 2};`:                           `line 1, column 10: want the name of a field, and here is "1"`,
		`let a = {b: 2, b: 3};`:                     `line 1, column 16: the record has two fields "b"`,
		`let a = 1 + ;`:                             `line 1, column 13: want an expression, and here is ";"`,
		`let a = 1 ! 2;`:                            `line 1, column 11: "!" means nothing here`,
		`let a = if true then 1;`:                   `line 1, column 23: want else, and here is ";"`,
		`let a = size([]);`:                         `line 1, column 9: there is no function "size"; there are count join max min price sum text upper`,
		`let a = sum();`:                            `line 1, column 9: sum takes 1 arguments, and here are 0`,
		`let a = join([]);`:                         `line 1, column 9: join takes 2 arguments, and here are 1`,
		`let a = 1 / 0;`:                            `line 1, column 11: division by zero`,
		`let a = 1 % 0;`:                            `line 1, column 11: division by zero`,
		`let a = 9223372036854775807 + 1;`:          `line 1, column 29: the result does not fit 64 bits`,
		`let a = -9223372036854775807 - 2;`:         `line 1, column 30: the result does not fit 64 bits`,
		`let a = 4294967296 * 2147483648;`:          `line 1, column 20: the result does not fit 64 bits`,
		`let a = (-9223372036854775807 - 1) / -1;`:  `line 1, column 36: the result does not fit 64 bits`,
		`let a = -(-9223372036854775807 - 1);`:      `line 1, column 9: the result does not fit 64 bits`,
		`let a = sum([9223372036854775807, 1]);`:    `line 1, column 13: the sum does not fit 64 bits`,
		`let a = 1 + "x";`:                          `line 1, column 11: an operator wants two of a kind, and here are a number and a text`,
		`let a = "x" - "y";`:                        `line 1, column 13: texts can be compared and added, and nothing else`,
		`let a = true < false;`:                     `line 1, column 14: true and false have no arithmetic and no order`,
		`let a = [] == [];`:                         `line 1, column 12: no operator goes with a list`,
		`let a = not 1;`:                            `line 1, column 13: want true or false, and this is a number`,
		`let a = -"x";`:                             `line 1, column 10: want a number, and this is a text`,
		`let a = if 1 then 2 else 3;`:               `line 1, column 12: want true or false, and this is a number`,
		`let a = [1][1];`:                           `line 1, column 12: the list has 1 items, and no item 1`,
		`let a = [1][-1];`:                          `line 1, column 12: the list has 1 items, and no item -1`,
		`let a = 1[0];`:                             `line 1, column 9: want a list, and this is a number`,
		`let a = {b: 1}.c;`:                         `line 1, column 15: the record has no field "c"`,
		`let a = [].c;`:                             `line 1, column 11: want a record before .c, and this is a list`,
		`let a = [for x in {} yield 1];`:            `line 1, column 19: want a list, and this is a record`,
		`let a = max([]);`:                          `line 1, column 9: an empty list has neither max nor min`,
		`let a = max(["x"]);`:                       `line 1, column 9: want numbers, and item 0 is a text`,
		`let a = sum([1, "x"]);`:                    `line 1, column 13: want numbers, and item 1 is a text`,
		`let a = join([1], "");`:                    `line 1, column 14: join wants texts, and item 0 is a number`,
		`let a = upper(1);`:                         `line 1, column 15: want a text, and this is a number`,
		`let a = price("p3");`:                      `line 1, column 15: the catalog has no "p3"`,
		`let ` + strings.Repeat("a", 100) + ` 1;`:   `line 1, column 106: want "=", and here is "1"`,
		`let a = ` + strings.Repeat("b", 100) + `;`: `line 1, column 9: nothing above is called "` + strings.Repeat("b", 40) + `"`,
	} {
		got, err := both(t, source)
		if err == nil || err.Error() != want || got != "" {
			t.Errorf("%s\ngives %q and the error\n%v, want\n%s", source, got, err, want)
		}
	}
}

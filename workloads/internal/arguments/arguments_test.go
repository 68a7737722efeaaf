package arguments

import (
	"errors"
	"flag"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for args, want := range map[string]string{
		"":              "0 arguments where one is wanted",
		"1 2":           "2 arguments where one is wanted",
		"ten":           `"ten" is no such number`,
		"9":             `"9" is no such number`,
		"-1":            "flag provided but not defined: -1",
		"-way slow 1 2": "2 arguments where one is wanted",
		"-help":         "flag: help requested",
		"8":             "",
		"-way slow 0":   `"0" is no such number`,
		"-way slow 1":   "",
	} {
		flags := flag.NewFlagSet("x", flag.ExitOnError)
		flags.String("way", "", "")
		_, err := parse(flags, strings.Fields(args), 1, 8)
		if want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%q: error %v, want %q", args, err, want)
		}
		if errors.Is(err, flag.ErrHelp) != (args == "-help") {
			t.Errorf("%q: %v", args, err)
		}
	}
}

package arguments

import (
	"errors"
	"flag"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for args, want := range map[string]string{
		"":              "0 arguments, want one",
		"1 2":           "2 arguments, want one",
		"ten":           `invalid argument "ten"`,
		"9":             `invalid argument "9"`,
		"-1":            "flag provided but not defined: -1",
		"-way slow 1 2": "2 arguments, want one",
		"-help":         "flag: help requested",
		"8":             "",
		"-way slow 0":   `invalid argument "0"`,
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

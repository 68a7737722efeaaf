// Package datafile reads TOML and JSON files that are written by people or by other programs. An
// error message is one line. It gives the position of the error, and describes the expected value
// in TOML or JSON terms. The errors of the decoders name Go types, which mean nothing to the author
// of the file.
package datafile

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode"
)

// kinds describes each kind of Go value for the author of a file: its name, in singular and plural,
// and examples.
var kinds = map[reflect.Kind]struct{ one, many, example, examples string }{
	reflect.String:  {"a string", "strings", `"a"`, `["a", "b"]`},
	reflect.Bool:    {"true or false", "true or false", "", "[true, false]"},
	reflect.Int:     {"a whole number", "whole numbers", "1", "[1, 2]"},
	reflect.Float64: {"a number", "numbers", "1.5", "[1.5, 2]"},
}

// kindKey returns the key for t in the map kinds. It is reflect.Int for all integer types, and
// reflect.Float64 for all floating-point types.
func kindKey(t reflect.Type) reflect.Kind {
	switch k := t.Kind(); {
	case k >= reflect.Int && k <= reflect.Uint64:
		return reflect.Int
	case k == reflect.Float32:
		return reflect.Float64
	default:
		return k
	}
}

// wanted describes the value that a key must have, with an example.
func wanted(t reflect.Type, key string) string {
	switch kindKey(t) {
	case reflect.Slice:
		if k, ok := kinds[kindKey(t.Elem())]; ok {
			return fmt.Sprintf("a list of %s, such as %s", k.many, k.examples)
		}
		if keys := keysOf(t.Elem()); keys != "" {
			return "a list of tables with the keys " + keys
		}
		return fmt.Sprintf("tables, [[%s]]", key)
	case reflect.Map:
		return `a table of strings, such as { NAME = "value" }`
	case reflect.Struct:
		if keys := keysOf(t); keys != "" {
			return "a table with the keys " + keys
		}
		return fmt.Sprintf("a table, [%s]", key)
	}
	k := kinds[kindKey(t)]
	if k.example == "" {
		return k.one
	}
	return k.one + ", such as " + k.example
}

// keysOf lists the keys of a table, or returns "" if there are too many.
func keysOf(t reflect.Type) string {
	const most = 6
	if t.Kind() != reflect.Struct || t.NumField() > most {
		return ""
	}
	var keys []string
	for i := range t.NumField() {
		if key := keyOf(t.Field(i)); key != "" {
			keys = append(keys, key)
		}
	}
	if len(keys) < 2 {
		return strings.Join(keys, "")
	}
	return strings.Join(keys[:len(keys)-1], ", ") + " and " + keys[len(keys)-1]
}

// short truncates a string from a file for an error message, because the string may have any
// length.
func short(text string) string {
	const most = 100
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// shown returns a key as it is printed in an error message. It quotes keys with unprintable
// characters, so that the message stays on one line.
func shown(key string) string {
	if strings.ContainsFunc(key, func(r rune) bool { return !unicode.IsPrint(r) }) {
		key = strconv.Quote(key)
	}
	return short(key)
}

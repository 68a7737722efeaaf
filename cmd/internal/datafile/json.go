package datafile

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// JSON returns an error of package json in the words of the file.
func JSON(err error) error {
	var kind *json.UnmarshalTypeError
	var moment *time.ParseError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &kind):
		value, _, _ := strings.Cut(kind.Value, " ")
		key := shown(kind.Field) + ": "
		if kind.Field == "" {
			key = ""
		}
		return fmt.Errorf("%swant %s, not %s", key, inJSON(kind.Type), givenJSON(value))
	case errors.As(err, &moment), strings.HasPrefix(err.Error(), "Time.UnmarshalJSON"):
		return errors.New("want a time such as 2026-01-02T15:04:05Z")
	case errors.As(err, &syntax):
		return fmt.Errorf("no JSON: %w", err)
	}
	if key, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown {
		return fmt.Errorf("unknown key %s", short(key))
	}
	return errors.New(short(strings.TrimPrefix(err.Error(), "json: ")))
}

// inJSON describes the value that a key must have.
func inJSON(t reflect.Type) string {
	switch kind(t) {
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "an object"
	default:
		return kinds[kind(t)].one
	}
}

func givenJSON(value string) string {
	switch value {
	case "bool":
		return "true or false"
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "number":
		return "such a number"
	}
	return "a " + value
}

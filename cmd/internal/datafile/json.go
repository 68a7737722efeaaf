package datafile

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// JSON rewrites an error of package encoding/json for the author of the file, who knows JSON but
// not Go.
func JSON(err error) error {
	var wrong *json.UnmarshalTypeError
	var moment *time.ParseError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &wrong):
		value, number, _ := strings.Cut(wrong.Value, " ")
		key := shown(wrong.Field) + ": "
		if wrong.Field == "" {
			key = ""
		}
		if k := kindKey(wrong.Type); value == "number" && (k == reflect.Int || k == reflect.Float64) {
			return fmt.Errorf("%sinvalid %s: must be %s in range", key, short(number), inJSON(wrong.Type))
		}
		return fmt.Errorf("%swant %s, not %s", key, inJSON(wrong.Type), givenJSON(value))
	case errors.As(err, &moment), strings.HasPrefix(err.Error(), "Time.UnmarshalJSON"):
		return errors.New("want a time such as 2026-01-02T15:04:05Z")
	case errors.As(err, &syntax):
		return fmt.Errorf("invalid JSON: %w", err)
	}
	if key, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown {
		return fmt.Errorf("unknown key %s", short(key))
	}
	return errors.New(short(strings.TrimPrefix(err.Error(), "json: ")))
}

// inJSON describes a JSON value of type t for an error message.
func inJSON(t reflect.Type) string {
	switch kindKey(t) {
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "an object"
	default:
		return kinds[kindKey(t)].one
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

package datafile

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// TOML decodes a TOML file strictly: a key for which the target has no field is an error. The
// parameter keys names the document that describes the keys, or is "" if there is none. An error
// message is one line.
func TOML(name string, data []byte, into any, keys string) error {
	err := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(into)
	var unknown *toml.StrictMissingError
	var wrong *toml.DecodeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &unknown) && len(unknown.Errors) > 0:
		line, _ := unknown.Errors[0].Position()
		text := fmt.Sprintf("%s:%d: unknown key %s", name, line, shown(strings.Join(unknown.Errors[0].Key(), ".")))
		if keys != "" {
			text += "; the keys are in " + keys
		}
		return errors.New(text)
	case errors.As(err, &wrong):
		line, column := wrong.Position()
		return fmt.Errorf("%s:%d:%d: %s", name, line, column, inWords(wrong, reflect.TypeOf(into).Elem()))
	}
	return fmt.Errorf("%s: %s", name, short(strings.TrimPrefix(err.Error(), "toml: ")))
}

var (
	mismatch = regexp.MustCompile(`^cannot decode TOML ([a-z ]+) into (?:struct field \S+ of type )?(\S+)$`)
	misfit   = regexp.MustCompile(`^cannot (store|reach|decode)|cannot be stored in`)
)

// inWords describes a decoding error for the author of the file, without Go types. For a syntax
// error, it returns the decoder's message.
func inWords(err *toml.DecodeError, file reflect.Type) string {
	said := strings.Replace(strings.TrimPrefix(err.Error(), "toml: "), "a 64-bit signed integer", "64 bits", 1)
	said = short(said)
	key := shown(strings.Join(err.Key(), "."))
	if key == "" {
		return said
	}
	field, ok := fieldOf(file, err.Key())
	found := mismatch.FindStringSubmatch(said)
	switch {
	case !ok || found == nil && !misfit.MatchString(said):
		return key + ": " + said
	case strings.HasPrefix(said, "cannot store an array table") && isTable(field):
		return fmt.Sprintf("%s: want one table, [%s]", key, key)
	case strings.Contains(said, "cannot be stored in"):
		return fmt.Sprintf("%s: out of range: want %s", key, wanted(field, key))
	case found == nil:
		return fmt.Sprintf("%s: want %s", key, wanted(field, key))
	case found[2] != field.String(): // the error concerns a part of the value
		return fmt.Sprintf("%s: want %s, but it contains %s", key, wanted(field, key), withArticle(found[1]))
	}
	return fmt.Sprintf("%s: want %s, not %s", key, wanted(field, key), withArticle(found[1]))
}

// fieldOf returns the type of the field or map element that a key refers to, and whether there is
// one.
func fieldOf(t reflect.Type, key toml.Key) (reflect.Type, bool) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice && len(key) > 0 {
		t = t.Elem()
	}
	if len(key) == 0 {
		return t, true
	}
	switch t.Kind() {
	case reflect.Map:
		return fieldOf(t.Elem(), key[1:])
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); keyOf(f) == key[0] {
				return fieldOf(f.Type, key[1:])
			}
		}
	default: // a value has no keys, so the error concerns the value itself
		return t, true
	}
	return nil, false
}

// keyOf returns the TOML key of a struct field, or "" if it has none.
func keyOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
	if name == "-" {
		return ""
	}
	return name
}

func isTable(t reflect.Type) bool { return t.Kind() == reflect.Struct || t.Kind() == reflect.Map }

// withArticle returns the name, with its article, that messages use for a kind of TOML value. The
// parameter kind is the decoder's name for it.
func withArticle(kind string) string {
	names := map[string]string{
		"array": "a list", "inline table": "a table", "integer": "a whole number", "float": "a number with a point", "boolean": "true or false",
	}
	if name, ok := names[kind]; ok {
		return name
	}
	return "a " + kind
}

package show

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/coppice-go/coppice/cmd/internal/find"
	"github.com/coppice-go/coppice/cmd/internal/render/figure"
)

// JSON writes a single result as an object, and several results as an array. The fields are
// documented in find.Result. Empty lists are written as [] and never as null. NaN and infinities
// are written as 0, with a warning that names the field.
func JSON(w io.Writer, results ...*find.Result) error {
	all := make([]*find.Result, 0, len(results))
	for _, r := range results {
		var strange []string
		clean := settled(reflect.ValueOf(r), "", &strange).Interface().(*find.Result)
		for _, field := range strange {
			clean.Warnings = append(clean.Warnings, fmt.Sprintf("%s is not a number and was written as 0", field))
		}
		all = append(all, clean)
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "\t")
	encoder.SetEscapeHTML(false)
	if len(all) == 1 {
		return encoder.Encode(all[0])
	}
	return encoder.Encode(all)
}

// settled returns a deep copy that JSON can represent: slices are not nil, and floats are finite.
// It replaces other floats by 0, and appends their paths to strange.
func settled(v reflect.Value, path string, strange *[]string) reflect.Value {
	to := reflect.New(v.Type()).Elem()
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return v
		}
		to.Set(reflect.New(v.Type().Elem()))
		to.Elem().Set(settled(v.Elem(), path, strange))
	case reflect.Slice:
		to.Set(reflect.MakeSlice(v.Type(), 0, v.Len()))
		for i := range v.Len() {
			if e := v.Index(i); e.Kind() != reflect.Pointer || !e.IsNil() {
				to = reflect.Append(to, settled(e, fmt.Sprintf("%s[%d]", path, i), strange))
			}
		}
	case reflect.Map:
		to.Set(reflect.MakeMap(v.Type()))
		for _, key := range v.MapKeys() {
			to.SetMapIndex(key, settled(v.MapIndex(key), path+"."+key.String(), strange))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return v
		}
		for i := range v.NumField() {
			to.Field(i).Set(settled(v.Field(i), join(path, v.Type().Field(i)), strange))
		}
	case reflect.Float64:
		if !figure.Finite(v.Float()) {
			*strange = append(*strange, path)
			return to
		}
		return v
	default:
		return v
	}
	return to
}

// join returns the path of a field. Fields of an embedded struct are on the same level as the
// fields of the struct that embeds it.
func join(path string, field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	if field.Anonymous && name == "" {
		return path
	}
	return strings.Join(slices.DeleteFunc([]string{path, name}, func(s string) bool { return s == "" }), ".")
}

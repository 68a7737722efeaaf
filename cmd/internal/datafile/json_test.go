package datafile

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestErrorsOfJSON(t *testing.T) {
	type record struct {
		Name   string            `json:"name"`
		N      int               `json:"n"`
		Part   float64           `json:"part"`
		Good   bool              `json:"good"`
		All    []string          `json:"all"`
		Values map[string]string `json:"values"`
		Start  time.Time         `json:"start"`
		Deep   struct {
			N uint8 `json:"n"`
		} `json:"deep"`
	}
	for text, want := range map[string]string{
		`{"name": 1}`: "name: want a string, not such a number",
		`{"n": "1"}`:  "n: want a whole number, not a string",
		`{"n": 1.5}`:  "n: invalid 1.5: must be a whole number in range",
		`{"n": 1` + strings.Repeat("1", 99) + `}`: "n: invalid 11",
		`{"part": 1e999}`:                         "part: invalid 1e999: must be a number in range",
		`{"part": []}`:                            "part: want a number, not a list",
		`{"good": {}}`:                            "good: want true or false, not an object",
		`{"all": true}`:                           "all: want a list, not true or false",
		`{"values": "x"}`:                         "values: want an object, not a string",
		`{"values": {"a": 1}}`:                    "values: want a string, not such a number",
		`{"start": "now"}`:                        "want a time such as 2026-01-02T15:04:05Z",
		`{"start": 1}`:                            "want a time",
		`{"deep": {"n": 256}}`:                    "deep.n: invalid 256: must be a whole number in range",
		`[]`:                                      "want an object, not a list",
		`{"x": 1}`:                                `unknown key "x"`,
		`{"` + strings.Repeat("x", 999) + `": 1}`: `unknown key "xxx`,
		`{"name`:     "unexpected EOF",
		`{"name" 1}`: "invalid JSON: invalid character '1' after object key",
	} {
		var r record
		d := json.NewDecoder(bytes.NewReader([]byte(text)))
		d.DisallowUnknownFields()
		err := JSON(d.Decode(&r))
		if err == nil || !strings.HasPrefix(err.Error(), want) || len(err.Error()) > 200 || strings.Contains(err.Error(), "Go ") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

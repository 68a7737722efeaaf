// Command json solves ../spec.md with the standard library and with flat trees. The programs in
// ../peers use other libraries.
//
//	json -strategy NAME [-report FILE] DEPTH
package main

import (
	"encoding/json"

	v2 "github.com/go-json-experiment/json"

	"github.com/coppice-go/coppice/workloads/json/go/measure"
	"github.com/coppice-go/coppice/workloads/json/go/parse"
	"github.com/coppice-go/coppice/workloads/json/go/tokens"
)

var contenders = []measure.Contender{
	{Name: "any", New: func() measure.Parser {
		return func(text []byte) (measure.DOM, error) {
			var root any
			err := json.Unmarshal(text, &root)
			return measure.Any{Root: root}, err
		}
	}},
	{Name: "any-v2", New: func() measure.Parser {
		return func(text []byte) (measure.DOM, error) {
			var root any
			err := v2.Unmarshal(text, &root)
			return measure.Any{Root: root}, err
		}
	}},
	{Name: "pointers", New: func() measure.Parser {
		p := parse.NewPointers(&tokens.Fast{})
		return func(text []byte) (measure.DOM, error) {
			root, err := p.Parse(text)
			return pointers{root}, err
		}
	}},
	{Name: "flat-standard", New: func() measure.Parser { return newFlat(&tokens.Standard{}) }},
	{Name: "flat", New: func() measure.Parser { return newFlat(&tokens.Fast{}) }},
}

func main() { measure.Main("json", contenders) }

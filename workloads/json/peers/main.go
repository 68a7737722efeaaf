// Command peers solves ../spec.md with libraries that a Go programmer can use today, each used as
// its documentation recommends. The module is separate from Coppice's, so that Coppice does not
// depend on its peers. It also names the version of the documents that all programs parse.
//
//	peers -strategy NAME [-report FILE] DEPTH
package main

import (
	"github.com/bytedance/sonic"
	"github.com/valyala/fastjson"

	"github.com/coppice-go/coppice/workloads/json/go/measure"
)

var contenders = []measure.Contender{
	{Name: "fastjson", New: func() measure.Parser {
		return func(text []byte) (measure.DOM, error) {
			// The parser owns the values, so it must not parse another text while these values are
			// used.
			d := &fast{parser: &fastjson.Parser{}}
			var err error
			d.root, err = d.parser.ParseBytes(text)
			return d, err
		}
	}},
	// FlatBuffers keeps the members of an object in the order of the text, or sorted.
	{Name: "flatbuffers", New: func() measure.Parser { return newFlatBuffers(asWritten) }},
	{Name: "flatbuffers-sorted", New: func() measure.Parser { return newFlatBuffers(byKey) }},
	{Name: "sonic", New: func() measure.Parser {
		return func(text []byte) (measure.DOM, error) {
			var root any
			err := sonic.ConfigStd.Unmarshal(text, &root)
			return measure.Any{Root: root}, err
		}
	}},
}

func main() { measure.Main("peers", contenders) }

package flow

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A share states how a result of a function of the standard library shares memory with an argument.
// The zero share means that it does not.
type share byte

const (
	partOf share = 'p' // a part of the argument
	listOf share = 'l' // a list of parts
)

// shares lists the functions of the standard library whose results share the memory of their first
// argument. For a method, this is the first argument after the receiver. Each string has one letter
// per result, where '-' stands for a result that does not share memory. Functions that may return
// their argument but often return a copy are left out, such as ToLower, Replace, Join and
// strconv.Unquote. Iterators are also left out.
var shares = map[string]string{
	"strings.TrimSpace": "p", "strings.Trim": "p", "strings.TrimLeft": "p", "strings.TrimRight": "p",
	"strings.TrimFunc": "p", "strings.TrimLeftFunc": "p", "strings.TrimRightFunc": "p",
	"strings.TrimPrefix": "p", "strings.TrimSuffix": "p",
	"strings.Cut": "pp-", "strings.CutPrefix": "p-", "strings.CutSuffix": "p-",
	"strings.Split": "l", "strings.SplitN": "l", "strings.SplitAfter": "l", "strings.SplitAfterN": "l",
	"strings.Fields": "l", "strings.FieldsFunc": "l",

	"bytes.TrimSpace": "p", "bytes.Trim": "p", "bytes.TrimLeft": "p", "bytes.TrimRight": "p",
	"bytes.TrimFunc": "p", "bytes.TrimLeftFunc": "p", "bytes.TrimRightFunc": "p",
	"bytes.TrimPrefix": "p", "bytes.TrimSuffix": "p",
	"bytes.Cut": "pp-", "bytes.CutPrefix": "p-", "bytes.CutSuffix": "p-",
	"bytes.Split": "l", "bytes.SplitN": "l", "bytes.SplitAfter": "l", "bytes.SplitAfterN": "l",
	"bytes.Fields": "l", "bytes.FieldsFunc": "l",

	"slices.Clip": "p", "slices.Compact": "p", "slices.CompactFunc": "p", "slices.Delete": "p", "slices.DeleteFunc": "p",

	"path.Base": "p", "path.Ext": "p", "path.Split": "pp",
	"path/filepath.Base": "p", "path/filepath.Ext": "p", "path/filepath.Split": "pp", "path/filepath.VolumeName": "p",
	"net.SplitHostPort": "pp-", "net/textproto.TrimString": "p", "net/textproto.TrimBytes": "p",
	"strconv.QuotedPrefix": "p-",

	"(*regexp.Regexp).Find": "p", "(*regexp.Regexp).FindString": "p",
	"(*regexp.Regexp).FindSubmatch": "l", "(*regexp.Regexp).FindStringSubmatch": "l",
	"(*regexp.Regexp).FindAll": "l", "(*regexp.Regexp).FindAllString": "l", "(*regexp.Regexp).Split": "l",
}

// builtins lists the functions of package unsafe that convert a pointer, or a value that contains
// one, to another value that refers to the same memory.
var builtins = map[string]bool{"String": true, "StringData": true, "Slice": true, "SliceData": true, "Add": true}

// shared returns the argument whose memory a result of a call shares. It returns nil unless the
// called function belongs to the standard library and is listed in shares or builtins.
func shared(call *ssa.Call, index int) (ssa.Value, share) {
	if fn, ok := call.Call.Value.(*ssa.Builtin); ok && builtins[fn.Name()] {
		return call.Call.Args[0], partOf
	}
	fn := call.Call.StaticCallee()
	if fn == nil {
		return nil, 0
	}
	object, ok := fn.Object().(*types.Func)
	if !ok {
		return nil, 0
	}
	gives := shares[object.Origin().FullName()]
	if index >= len(gives) || gives[index] == '-' {
		return nil, 0
	}
	if fn.Signature.Recv() != nil {
		return call.Call.Args[1], share(gives[index])
	}
	return call.Call.Args[0], share(gives[index])
}

// sharedParts returns the claims on a result of a call into the standard library, which are the
// claims on the argument whose memory the result shares.
func (s *State) sharedParts(call *ssa.Call, index int) (all []part) {
	arg, how := shared(call, index)
	if arg == nil {
		return nil
	}
	for _, p := range s.parts(valueOf(arg), arg.Type()) {
		switch {
		case how == partOf:
			all = append(all, p)
		case p.steps == "" && p.claim.Kind == Memory:
			all = append(all, part{elements, p.claim, p.when})
		}
	}
	return all
}

package arena_test

import (
	"bytes"
	"fmt"

	"github.com/coppice-go/coppice/arena"
)

// An element has a name, attributes and children, as in an HTML parser. The values have several
// types and one lifetime.
type element struct {
	name     string
	attrs    []attribute
	children []*element
}

type attribute struct{ name, value string }

// A reader allocates from the arena of its caller. Without an arena it allocates on the Go heap, so
// callers that pass none lose nothing.
type reader struct {
	words [][]byte
	arena *arena.Arena // added by the port
}

// element reads one element. The trailing comments show the code before the port.
func (r *reader) element() *element {
	e := arena.New[element](r.arena)    // e := &element{}
	e.name = r.arena.String(r.words[0]) // string(r.words[0])
	for r.words = r.words[1:]; ; {
		name, value, isAttribute := bytes.Cut(r.words[0], []byte("="))
		switch {
		case isAttribute:
			e.attrs = arena.Append(r.arena, e.attrs, attribute{r.arena.String(name), r.arena.String(value)}) // append(e.attrs, ...)
			r.words = r.words[1:]
		case string(r.words[0]) == "end":
			r.words = r.words[1:]
			return e
		default:
			e.children = arena.Append(r.arena, e.children, r.element()) // append(e.children, ...)
		}
	}
}

// A parser is ported by changing how it allocates nodes, slices and strings: all of them then come
// from an arena that the caller may pass. The ports of golang.org/x/net/html and goja in this
// repository (workloads/foreign) are made this way; docs/benchmarking/programs.md shows their
// results. The service in this example resets the arena, by returning it to the pool, after it has
// written the answer.
func Example_port() {
	var requests arena.Pool
	for _, page := range []string{"body class=wide p id=1 end p id=2 end end", "body end"} {
		a := requests.Get()
		r := reader{words: bytes.Fields([]byte(page)), arena: a}
		body := r.element()
		fmt.Println(body.name, body.attrs, len(body.children))
		requests.Put(a) // body is stale from here on
	}
	// Output:
	// body [{class wide}] 2
	// body [] 0
}

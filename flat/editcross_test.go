package flat_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/cases/dagflat"
	"github.com/coppice-go/coppice/flat/internal/example/expr"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
	"github.com/coppice-go/coppice/flat/internal/random"
)

// The functions below must do the same as run_edits in cpp/test/flat_edits.hpp.

// A crossEditor edits a tree whose nodes have the type N.
type crossEditor[N any] struct {
	nodes  []N // all nodes, in the order of the tree
	edit   func()
	finish func(root N)
	make   func(what, c int, x, y N) N
	set    func(n N, c int, child N) bool
}

// refused runs f and reports whether it panics.
func refused(f func()) (is bool) {
	defer func() { is = recover() != nil }()
	f()
	return false
}

// run runs a program of edits, which has six bytes per edit. The returned log tells for each edit
// whether it was made, refused, or not applicable, and gives the root of each finished tree.
func (e *crossEditor[N]) run(text []byte) string {
	var log strings.Builder
	var none N
	open := false
	finish := func() {
		open = false
		for i := len(e.nodes) - 1; i >= 0; i-- {
			if !refused(func() { e.finish(e.nodes[i]) }) {
				fmt.Fprintf(&log, "|%d", i)
				return
			}
		}
		e.finish(none)
		log.WriteString("|nil")
	}
	pick := func(one int) N {
		if i := one % (len(e.nodes) + 1); i < len(e.nodes) {
			return e.nodes[i]
		}
		return none
	}
	const step = 6
	for ; len(text) >= step; text = text[step:] {
		what, i, k, c := int(text[0]), int(text[1])+256*int(text[2]), int(text[3])+256*int(text[4]), int(text[5])
		if !open {
			e.edit()
			open = true
		}
		if what%32 == 31 {
			finish()
			continue
		}
		has := true
		switch {
		case refused(func() {
			if len(e.nodes) == 0 || what%4 == 0 {
				e.nodes = append(e.nodes, e.make(what/4, c, pick(i), pick(k)))
				return
			}
			has = e.set(e.nodes[i%len(e.nodes)], c, pick(k))
		}):
			log.WriteByte('r')
		case has:
			log.WriteByte('.')
		default:
			log.WriteByte('-')
		}
	}
	if open {
		finish()
	}
	return log.String()
}

// editExpr runs a program of edits on an expression.
func editExpr(data, text []byte) (*flat.Tree, string) {
	tree, b := must(exprflat.Load(data, flat.LoadLimits{})), exprflat.NewBuilder(flat.BuilderOptions{})
	e := crossEditor[exprflat.Expr]{
		edit:   func() { b.Edit(tree) },
		finish: func(root exprflat.Expr) { tree = must(b.Finish(root)) },
		make: func(what, c int, x, y exprflat.Expr) exprflat.Expr {
			switch what % 3 {
			case 0:
				return b.Num(float64(c))
			case 1:
				return b.Bin(expr.Op(c), x, y)
			default:
				return b.Call("", []exprflat.Expr{{}, y}, nil)
			}
		},
		set: func(n exprflat.Expr, c int, child exprflat.Expr) bool {
			switch n.Kind() {
			case exprflat.KindNum:
				n.AsNum().SetValue(float64(c))
			case exprflat.KindBin:
				switch c % 3 {
				case 0:
					n.AsBin().SetL(child)
				case 1:
					n.AsBin().SetR(child)
				default:
					n.AsBin().SetOp(expr.Op(c))
				}
			case exprflat.KindCall:
				if n.AsCall().NumArgs() == 0 {
					return false
				}
				n.AsCall().SetArg(c%n.AsCall().NumArgs(), child)
			default:
				return false
			}
			return true
		},
	}
	for n := range tree.All {
		e.nodes = append(e.nodes, n.AsExpr())
	}
	log := e.run(text)
	return tree.Flat(), log
}

// editTerm runs a program of edits on a graph.
func editTerm(data, text []byte) (*flat.Tree, string) {
	tree, b := must(dagflat.Load(data, flat.LoadLimits{MaxWalk: math.MaxInt})), dagflat.NewBuilder(flat.BuilderOptions{})
	e := crossEditor[dagflat.Term]{
		edit:   func() { b.Edit(tree) },
		finish: func(root dagflat.Term) { tree = must(b.Finish(root)) },
		make: func(what, _ int, x, y dagflat.Term) dagflat.Term {
			switch what % 3 {
			case 0:
				return b.Atom("")
			case 1:
				return b.Pair(x, y)
			default:
				return b.List([]dagflat.Term{{}, y})
			}
		},
		set: func(n dagflat.Term, c int, child dagflat.Term) bool {
			switch n.Kind() {
			case dagflat.KindPair:
				if c%2 == 0 {
					n.AsPair().SetA(child)
				} else {
					n.AsPair().SetB(child)
				}
			case dagflat.KindList:
				if n.AsList().NumItems() == 0 {
					return false
				}
				n.AsList().SetItem(c%n.AsList().NumItems(), child)
			default:
				return false
			}
			return true
		},
	}
	for n := range tree.All {
		e.nodes = append(e.nodes, n.AsTerm())
	}
	log := e.run(text)
	return tree.Flat(), log
}

// TestEditIsTheSameInCpp verifies that the same edits of the same tree have the same results in Go
// and C++: the refused edits, the words of the edited tree, its canonical form, and the bytes of
// its file, or that the tree cannot be written.
func TestEditIsTheSameInCpp(t *testing.T) {
	dir := t.TempDir()
	type result struct {
		tree *flat.Tree
		log  string
	}
	want := map[string]result{}
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 19))
		text := randomText(seed, 6*(1+int(seed)%120))
		e := random.Tree[expr.Expr](r, int(seed), []any{(*expr.Num)(nil), (*expr.Var)(nil), (*expr.Bin)(nil), (*expr.Call)(nil)})
		for name, data := range map[string][]byte{
			"expr": fileOf(must(exprflat.FromTree(e, flat.LoadLimits{})).Flat()),
			"dag":  fileOf(must(dagflat.FromTree(randomDag(r, 1+int(seed)/4), flat.LoadLimits{})).Flat()),
		} {
			run := either(name == "expr", editExpr, editTerm)
			name += fmt.Sprintf("-edits%d", seed)
			tree, log := run(data, text)
			want[name] = result{tree, log}
			writeVector(t, dir, name, ".flat", data)
			writeVector(t, dir, name, ".program", text)
		}
	}
	if *cpp == "" {
		t.Skip("it needs -cpp; make cpp runs this test with it")
	}
	runTool(t, dir)
	files, made, refusals := 0, 0, 0
	for name, w := range want {
		made += strings.Count(w.log, ".")
		refusals += strings.Count(w.log, "r")
		if got := string(readVector(t, dir, name, ".log")); got != w.log {
			t.Errorf("%s: C++ does %s, Go %s", name, got, w.log)
		}
		if got := string(readVector(t, dir, name, ".after-dump")); got != dumpOf(w.tree) {
			t.Errorf("%s: C++ has made\n%s, Go\n%s", name, got, dumpOf(w.tree))
		}
		if got := readVector(t, dir, name, ".after"); !bytes.Equal(got, fileOf(w.tree.Compact())) {
			t.Errorf("%s: C++ has another canonical form", name)
		}
		var file []byte
		if !refused(func() { file = fileOf(w.tree) }) {
			files++
		}
		if got := readVector(t, dir, name, ".after-file"); !bytes.Equal(got, file) {
			t.Errorf("%s: C++ writes\n%x, Go\n%x", name, got, file)
		}
	}
	t.Logf("%d edits, %d refused; %d trees of %d are files", made, refusals, files, len(want))
	if made < 5000 || refusals < 1000 || files < 10 || files == len(want) {
		t.Error("the programs try little")
	}
}

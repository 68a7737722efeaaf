package flat_test

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/cases/ast"
	"github.com/coppice-go/coppice/flat/internal/cases/astflat"
	"github.com/coppice-go/coppice/flat/internal/cases/every"
	"github.com/coppice-go/coppice/flat/internal/cases/everyflat"
	"github.com/coppice-go/coppice/flat/internal/cases/forty"
	"github.com/coppice-go/coppice/flat/internal/cases/fortyflat"
	"github.com/coppice-go/coppice/flat/internal/cases/links"
	"github.com/coppice-go/coppice/flat/internal/cases/linksflat"
	"github.com/coppice-go/coppice/flat/internal/cases/narrow"
	"github.com/coppice-go/coppice/flat/internal/cases/narrowflat"
	"github.com/coppice-go/coppice/flat/internal/cases/web2"
	"github.com/coppice-go/coppice/flat/internal/cases/web2flat"
	"github.com/coppice-go/coppice/flat/internal/example/expr"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
	"github.com/coppice-go/coppice/flat/internal/random"
)

var cpp = flag.String("cpp", "", "cpp/test/flat_tool, built: compare with it; make cpp does that")

// randomFiles returns files of pseudo-random trees, the same in every run.
func randomFiles() map[string][]byte {
	all := map[string][]byte{}
	for seed := range uint64(40) {
		if testing.Short() && seed%2 == 0 {
			continue
		}
		r := rand.New(rand.NewPCG(seed, 3))
		nodes := int(seed) * 5
		node := random.Tree[every.Node](r, nodes, []any{(*every.Null)(nil), (*every.Scalars)(nil), (*every.Named)(nil),
			(*every.Optional)(nil), (*every.Interned)(nil), (*every.Links)(nil), (*every.Lists)(nil), (*every.Arrays)(nil),
			(*every.Inline)(nil), (*every.Full)(nil), (*every.Value)(nil), (*every.Words)(nil)})
		all[fmt.Sprintf("every-random%d", seed)] = fileOf(must(everyflat.FromTree(node, flat.LoadLimits{})).Flat())
		e := random.Tree[expr.Expr](r, nodes, []any{(*expr.Num)(nil), (*expr.Var)(nil), (*expr.Bin)(nil), (*expr.Call)(nil)})
		all[fmt.Sprintf("expr-random%d", seed)] = fileOf(must(exprflat.FromTree(e, flat.LoadLimits{})).Flat())
		n := random.Tree[narrow.Node](r, nodes, []any{(*narrow.Ident)(nil), (*narrow.Move)(nil), (*narrow.Optional)(nil), (*narrow.Lists)(nil), (*narrow.Arrays)(nil)})
		all[fmt.Sprintf("narrow-random%d", seed)] = fileOf(must(narrowflat.FromTree(n, flat.LoadLimits{})).Flat())
		all[fmt.Sprintf("ast-random%d", seed)] = fileOf(must(astflat.FromTree(random.Tree[*ast.File](r, nodes/2, astVariants), flat.LoadLimits{})).Flat())
		all[fmt.Sprintf("links-random%d", seed)] = fileOf(must(linksflat.FromTree(random.Tree[*links.Scope](r, nodes/2, linkVariants), flat.LoadLimits{})).Flat())
		all[fmt.Sprintf("web1-random%d", seed)] = fileOf(oldWeb(seed).Flat())
		w := random.Tree[*web2.Web](r, nodes/2, []any{(*web2.Web)(nil), (*web2.Knot)(nil), (*web2.Hole)(nil)})
		all[fmt.Sprintf("web2-random%d", seed)] = fileOf(must(web2flat.FromTree(w, flat.LoadLimits{})).Flat())
		f := random.Tree[forty.Expr](r, nodes, []any{(*forty.Num)(nil), (*forty.Var)(nil), (*forty.Call)(nil), (*forty.Op1)(nil), (*forty.Op37)(nil)})
		all[fmt.Sprintf("forty-random%d", seed)] = fileOf(must(fortyflat.FromTree(f, flat.LoadLimits{})).Flat())
	}
	return all
}

// canonical returns the file of the canonical form of the tree that data contains.
func canonical(t *testing.T, name string, data []byte) []byte {
	t.Helper()
	tree, err := formatOf(name).load(data, flat.LoadLimits{})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return fileOf(tree.Compact())
}

// TestEveryPairOfProducerAndConsumer verifies that a file can be written in Go or C++ and read in
// Go or C++, and that its canonical form has the same bytes in all four cases.
func TestEveryPairOfProducerAndConsumer(t *testing.T) {
	files := valid()
	want := map[string][]byte{}
	for name, data := range randomFiles() {
		files[name] = data
	}
	for name, data := range files {
		want[name] = canonical(t, name, data)
		if again := canonical(t, name, want[name]); !bytes.Equal(again, want[name]) {
			t.Errorf("from Go to Go, %s: the canonical form has another one", name)
		}
	}
	if *cpp == "" {
		t.Skip("pairs with C++ need -cpp; make cpp runs this test with it")
	}
	made, dir := t.TempDir(), t.TempDir()
	for name, data := range files {
		writeVector(t, made, name, ".flat", data)
	}
	runTool(t, made)
	for name, data := range files {
		built := readVector(t, made, name, ".built")
		if !bytes.Equal(readVector(t, made, name, ".canonical"), want[name]) {
			t.Errorf("from Go to C++, %s: C++ has another canonical form", name)
		}
		if !bytes.Equal(canonical(t, name, built), want[name]) {
			t.Errorf("from C++ to Go, %s: C++ has built another tree", name)
		}
		if got, want := string(readVector(t, made, name, ".dump")), dumpOf(must(formatOf(name).load(data, flat.LoadLimits{}))); got != want {
			t.Errorf("from Go to C++, %s: C++ reads\n%swant\n%s", name, got, want)
		}
		writeVector(t, dir, name, ".flat", built)
	}
	runTool(t, dir)
	for name := range files {
		if !bytes.Equal(readVector(t, dir, name, ".canonical"), want[name]) {
			t.Errorf("from C++ to C++, %s: it has another canonical form", name)
		}
	}
}

// TestMutantsHaveOneVerdict verifies that Go and C++ return identical error messages for every
// truncation of every vector and for every flipped bit. If both accept a mutant, they must read the
// same tree.
func TestMutantsHaveOneVerdict(t *testing.T) {
	if *cpp == "" {
		t.Skip("it needs -cpp; make cpp runs this test with it")
	}
	dir := t.TempDir()
	for name, data := range valid() {
		writeVector(t, dir, name, ".flat", data)
		writeVector(t, dir, name, ".mutants", nil)
	}
	runTool(t, dir)
	mutants, accepted := 0, 0
	for name, data := range valid() {
		lines := bufio.NewScanner(bytes.NewReader(readVector(t, dir, name, ".mutants")))
		compare := func(what string, mutant []byte) {
			mutants++
			got := "nothing"
			if lines.Scan() {
				got = lines.Text()
			}
			want := verdict(name, mutant)
			if strings.HasPrefix(want, "ok ") {
				accepted++
			}
			if got != want {
				t.Errorf("%s, %s: C++ says %q, Go says %q", name, what, got, want)
			}
		}
		for n := range data {
			compare(fmt.Sprintf("first %d bytes", n), data[:n])
		}
		for bit := range 8 * len(data) {
			data[bit/8] ^= 1 << (bit % 8)
			compare(fmt.Sprintf("bit %d flipped", bit), data)
			data[bit/8] ^= 1 << (bit % 8)
		}
	}
	t.Logf("%d mutants, %d of them valid", mutants, accepted)
}

// verdict returns the result of Load for a file: the error message, or a hash of the tree.
func verdict(name string, data []byte) string {
	tree, err := formatOf(name).load(data, flat.LoadLimits{})
	if err != nil {
		return err.Error()
	}
	h := fnv.New64a()
	h.Write([]byte(dumpOf(tree)))
	return fmt.Sprintf("ok %x", h.Sum64())
}

// dumpOf returns the output of Dump. It escapes each byte of a non-ASCII character, as the C++
// implementation does.
func dumpOf(t *flat.Tree) string {
	var b strings.Builder
	if err := t.Dump(&b); err != nil {
		panic(err)
	}
	return beyondASCII.ReplaceAllStringFunc(b.String(), func(text string) string {
		if text[0] == '\\' && text[1] != 'u' && text[1] != 'U' {
			return text // not an escaped character beyond ASCII
		}
		if text[0] == '\\' {
			text = must(strconv.Unquote(`"` + text + `"`))
		}
		bytes := ""
		for _, c := range []byte(text) {
			bytes += fmt.Sprintf("\\x%02x", c)
		}
		return bytes
	})
}

var beyondASCII = regexp.MustCompile(`\\(u....|U........|.)|[^\x00-\x7f]`)

func runTool(t *testing.T, dir string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), *cpp, dir).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", *cpp, err, out)
	}
}

func writeVector(t *testing.T, dir, name, extension string, data []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name+extension), data, 0o666); err != nil {
		t.Fatal(err)
	}
}

func readVector(t *testing.T, dir, name, extension string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name+extension))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

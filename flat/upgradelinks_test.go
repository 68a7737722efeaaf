package flat_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/forest"
	"github.com/coppice-go/coppice/flat/internal/cases/web1"
	"github.com/coppice-go/coppice/flat/internal/cases/web1flat"
	"github.com/coppice-go/coppice/flat/internal/cases/web2"
	"github.com/coppice-go/coppice/flat/internal/cases/web2flat"
	"github.com/coppice-go/coppice/flat/internal/random"
)

// A newerWeb converts a pointer tree of web1 to one of web2. It copies the fields that both schemas
// have, and new fields stay zero.
type newerWeb struct {
	made  map[any]reflect.Value // the new struct for each pointer to an old one
	links []func()              // functions that set the links, called when all structs exist
}

func (c *newerWeb) of(from, to reflect.Value) {
	switch from.Kind() {
	case reflect.Interface, reflect.Pointer:
		if !from.IsNil() {
			to.Set(c.pointer(from))
		}
	case reflect.Struct:
		c.made[from.Addr().Interface()] = to.Addr()
		for i := range from.NumField() {
			field, newer := from.Field(i), to.FieldByName(from.Type().Field(i).Name)
			if from.Type().Field(i).Tag.Get("flat") == "ref" {
				c.links = append(c.links, func() { c.of(field, newer) })
				continue
			}
			c.of(field, newer)
		}
	case reflect.Slice:
		to.Set(reflect.MakeSlice(to.Type(), from.Len(), from.Len()))
		fallthrough
	case reflect.Array:
		for i := range from.Len() {
			c.of(from.Index(i), to.Index(i))
		}
	default:
		to.Set(from)
	}
}

func (c *newerWeb) pointer(from reflect.Value) reflect.Value {
	if from.Kind() == reflect.Interface {
		from = from.Elem()
	}
	if made, is := c.made[from.Interface()]; is {
		return made
	}
	p := reflect.New(reflect.TypeFor[web2.Web]())
	if from.Type() == reflect.TypeFor[*web1.Knot]() {
		p = reflect.New(reflect.TypeFor[web2.Knot]())
	}
	c.of(from.Elem(), p.Elem())
	return p
}

// inWeb2 converts the tree to web2 by way of pointers.
func inWeb2(t web1flat.Tree) web2flat.Tree {
	from := must(web1flat.ToTree(t, flat.LoadLimits{}))
	var to *web2.Web
	c := newerWeb{made: map[any]reflect.Value{}}
	c.of(reflect.ValueOf(&from).Elem(), reflect.ValueOf(&to).Elem())
	for _, set := range c.links {
		set()
	}
	return must(web2flat.FromTree(to, flat.LoadLimits{}))
}

// oldWeb returns a random tree of web1. For odd seeds, nodes may have several parents.
func oldWeb(seed uint64) web1flat.Tree {
	r := rand.New(rand.NewPCG(seed, 26))
	t := must(web1flat.FromTree(random.Tree[*web1.Web](r, 5+int(seed)%60, []any{(*web1.Web)(nil), (*web1.Knot)(nil)}), flat.LoadLimits{}))
	var webs []web1flat.Web
	for n := range t.All {
		if seed%2 == 0 || n.Kind() != web1flat.KindWeb {
			continue
		}
		for i := range n.AsWeb().NumKids() {
			if len(webs) > 0 && r.IntN(3) == 0 {
				n.AsWeb().SetKid(i, webs[r.IntN(len(webs))].AsNode())
			}
		}
		webs = append(webs, n.AsWeb())
	}
	return t
}

// TestOldLinksLoad verifies that links in a file of an earlier schema version connect the same
// nodes after loading: links in fields, lists, structs, and lists of structs. Links that are new in
// the later version are nil.
func TestOldLinksLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old")
	forestPath := filepath.Join(t.TempDir(), "forest")
	w := must(forest.Create[web1flat.Tree](forestPath, forest.Options{}))
	trees := uint64(100)
	if testing.Short() {
		trees = 25
	}
	all := make([][]byte, 0, trees)
	for seed := range trees {
		old := oldWeb(seed)
		want := fileOf(inWeb2(old).Compact().Flat())
		all = append(all, want)
		data := fileOf(old.Flat())
		if err := errors.Join(os.WriteFile(path, data, 0o600), w.Add("", old)); err != nil {
			t.Fatal(err)
		}
		for what, tree := range map[string]web2flat.Tree{
			"Load": must(web2flat.Load(data, flat.LoadLimits{})),
			"Read": must(web2flat.Read(bytes.NewReader(data), flat.LoadLimits{})),
			"Open": must(web2flat.Open(path, flat.LoadLimits{})),
		} {
			mustLoad(t, web2flat.Load, tree.Flat())
			if !bytes.Equal(fileOf(tree.Compact().Flat()), want) {
				t.Fatalf("tree %d by %s is %v, want %v", seed, what, tree, inWeb2(old))
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r := must(forest.Open[web2flat.Tree](forestPath, flat.LoadLimits{}))
	for i, want := range all {
		if got := must(r.At(i)); !bytes.Equal(fileOf(got.Compact().Flat()), want) || !bytes.Equal(fileOf(got.Clone().Compact().Flat()), want) {
			t.Fatalf("tree %d of the forest is %v", i, got)
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

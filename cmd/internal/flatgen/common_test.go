package flatgen

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/flatgen/golang"
	"github.com/coppice-go/coppice/cmd/internal/flatgen/schema"
)

// A handle reads a field that all variants have where the view of each variant reads it. What these
// read is tested in package flat.
func TestCommonFieldsAreReadWhereEachVariantHasThem(t *testing.T) {
	models, err := schema.Load("../../../flat/internal/cases/positions", []string{"."})
	if err != nil {
		t.Fatal(err)
	}
	files, err := golang.Emit(models[0], "positionsflat")
	if err != nil {
		t.Fatal(err)
	}
	var code []byte
	for _, f := range files {
		code = append(code, f.Data...)
	}
	place := func(variant string) string {
		found := regexp.MustCompile(`\nfunc \(n ` + variant + `\) Weight\(\) float64 \{ (return .*) \}\n`).FindSubmatch(code)
		if found == nil {
			t.Fatalf("no Weight of the view %s", variant)
		}
		return string(found[1])
	}
	for _, handle := range []string{"Node", "Any"} {
		want := "\nfunc (n " + handle + ") Weight() float64 {\n\tswitch n.Kind() {\n" +
			"\tcase KindBlock:\n\t\t" + place("Block") + "\n\tcase KindPair:\n\t\t" + place("Pair") + "\n\t}\n\t" + place("Name") + "\n}\n"
		if !bytes.Contains(code, []byte(want)) {
			t.Errorf("the handle %s does not have%s", handle, want)
		}
	}
}

package flatgen

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/flatgen/golang"
	"github.com/coppice-go/coppice/cmd/internal/flatgen/schema"
)

// TestCommonFieldsAreReadWhereEachVariantHasThem verifies that a handle reads a field that all
// variants have at the same position as the view of the variant. The values are tested in package
// flat.
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
		found := regexp.MustCompile(`\nfunc \(n ` + variant + `\) Weight\(\) float64 \{ return math.Float64frombits\(n.node.Uint64\((\d+)\)\) \}\n`).FindSubmatch(code)
		if found == nil {
			t.Fatalf("no Weight of the view %s", variant)
		}
		return string(found[1])
	}
	for _, handle := range []struct{ name, table string }{{"Node", "placesOfNodeWeight"}, {"Any", "placesInAnyWeight"}} {
		for _, want := range []string{
			"\nvar " + handle.table + " = [256]uint8{\n\tKindName:  " + place("Name") + ",\n\tKindBlock: " + place("Block") + ",\n\tKindPair:  " + place("Pair") + ",\n}\n",
			"\nfunc (n " + handle.name + ") Weight() float64 {\n\tat := uint32(" + handle.table + "[n.node.Kind()])\n\treturn math.Float64frombits(n.node.Uint64(at))\n}\n",
		} {
			if !bytes.Contains(code, []byte(want)) {
				t.Errorf("the handle %s does not have%s", handle.name, want)
			}
		}
	}
}

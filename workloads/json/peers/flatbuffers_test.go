package main

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/coppice-go/coppice/workloads/json/go/measure"
	"github.com/coppice-go/coppice/workloads/json/peers/document"
)

// asAny converts a value to the types that encoding/json uses for any.
func asAny(v document.Value) any {
	var child document.Value
	switch v.Kind() {
	case document.KindFalse, document.KindTrue:
		return v.Kind() == document.KindTrue
	case document.KindWhole:
		return float64(v.Whole())
	case document.KindNumber:
		return v.Number()
	case document.KindString:
		return string(v.Text())
	case document.KindArray:
		items := make([]any, v.ItemsLength())
		for i := range items {
			v.Items(&child, i)
			items[i] = asAny(child)
		}
		return items
	case document.KindObject:
		members := map[string]any{}
		for i := range v.MembersLength() {
			v.Members(&child, i)
			members[string(child.Key())] = asAny(child)
		}
		return members
	}
	return nil
}

// TestFlatBuffersSuite verifies that for each vector of JSONTestSuite, FlatBuffers gives the same
// result as encoding/json. A single builder makes all documents, even after errors.
func TestFlatBuffersSuite(t *testing.T) {
	all := vectors(t)
	for _, order := range []memberOrder{asWritten, byKey} {
		parser := newFlatBuffers(order)
		for name, text := range all {
			var want any
			wantErr := json.Unmarshal([]byte(text), &want)
			d, err := parser([]byte(text))
			if (err == nil) != (wantErr == nil) {
				t.Errorf("%s, %.60q: error %v, encoding/json has %v", name, text, err, wantErr)
			}
			if err != nil || wantErr != nil {
				continue
			}
			if got := asAny(d.(buffer).root()); !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %.60q: %v, encoding/json has %v", name, text, got, want)
			}
		}
	}
}

// TestFlatBuffersGet verifies that each value is found by its path, that absent paths find nothing,
// and that reading does not allocate, for members in both orders.
func TestFlatBuffersGet(t *testing.T) {
	const text = `{"c":[1.5,-0,{"x":true}],"a":null,"":"text","b":7,"é":{},"a":false}`
	for _, order := range []memberOrder{asWritten, byKey} {
		d, err := newFlatBuffers(order)([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			steps []measure.Step
			want  uint64
		}{
			{nil, measure.AnswerObject},
			{[]measure.Step{{Key: "a"}}, measure.AnswerFalse},
			{[]measure.Step{{Key: "b"}}, measure.AnswerNumber(7)},
			{[]measure.Step{{Key: ""}}, measure.AnswerString(4)},
			{[]measure.Step{{Key: "é"}}, measure.AnswerObject},
			{[]measure.Step{{Key: "c"}}, measure.AnswerArray},
			{[]measure.Step{{Key: "c"}, {Index: 0}}, measure.AnswerNumber(1.5)},
			{[]measure.Step{{Key: "c"}, {Index: 2}, {Key: "x"}}, measure.AnswerTrue},
			{[]measure.Step{{Key: "c"}, {Index: 3}}, measure.Absent},
			{[]measure.Step{{Key: "c"}, {Index: -1}}, measure.Absent},
			{[]measure.Step{{Key: "d"}}, measure.Absent},
			{[]measure.Step{{Key: "é"}, {Key: "a"}}, measure.Absent},
			{[]measure.Step{{Key: "b"}, {Index: 0}}, measure.Absent},
		} {
			if got := d.Get(measure.Path{Steps: c.steps}); got != c.want {
				t.Errorf("sorted %v, %v: %x, want %x", order, c.steps, got, c.want)
			}
		}
		path := measure.Path{Steps: []measure.Step{{Key: "c"}, {Index: 2}, {Key: "x"}}}
		var totals measure.Totals
		if n := testing.AllocsPerRun(10, func() { d.Walk(&totals); d.Get(path) }); n != 0 {
			t.Errorf("sorted %v: reading allocates %v times", order, n)
		}
	}
}

// TestFlatBuffersBytes verifies that changes to a copy do not affect the original, and that Load
// refuses data without the identifier.
func TestFlatBuffersBytes(t *testing.T) {
	d, err := newFlatBuffers(asWritten)([]byte(`[1,2.5]`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []measure.DOM{d.Copy(nil), d.Copy(d.Copy(nil))} {
		root, child := c.(buffer).root(), document.Value{}
		if !root.Items(&child, 0) || !child.MutateWhole(3) || c.Sum() == d.Sum() {
			t.Error("a copy did not change")
		}
		if got := asAny(d.(buffer).root()); !reflect.DeepEqual(got, []any{1.0, 2.5}) {
			t.Errorf("the original is now %v", got)
		}
	}
	stored, err := d.(buffer).Save()
	if err != nil {
		t.Fatal(err)
	}
	if loaded, err := (buffer{}).Load(stored); err != nil || loaded.Sum() != d.Sum() {
		t.Errorf("loaded %v, error %v", loaded, err)
	}
	other := slices.Clone(stored)
	other[4]++
	for _, bad := range [][]byte{nil, stored[:7], other} {
		if _, err := (buffer{}).Load(bad); err == nil {
			t.Errorf("%x was loaded", bad)
		}
	}
}

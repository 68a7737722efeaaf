package measure

// Any is a document in the default form of encoding/json and others: nil, bool, float64, string,
// []any and map[string]any.
type Any struct{ Root any }

// Walk visits every value.
func (d Any) Walk(t *Totals) { walkAny(d.Root, t) }

func walkAny(v any, t *Totals) {
	switch v := v.(type) {
	case nil:
		t.Null++
	case bool:
		t.Bool++
	case float64:
		t.AddNumber(v)
	case string:
		t.AddString(len(v))
	case []any:
		t.Array++
		for _, item := range v {
			walkAny(item, t)
		}
	case map[string]any:
		t.Object++
		for key, value := range v {
			t.AddMember(len(key))
			walkAny(value, t)
		}
	}
}

// Get follows a path.
func (d Any) Get(p Path) uint64 {
	v := d.Root
	for _, step := range p.Steps {
		switch at := v.(type) {
		case map[string]any:
			value, ok := at[step.Key]
			if !ok {
				return Absent
			}
			v = value
		case []any:
			if uint(step.Index) >= uint(len(at)) {
				return Absent
			}
			v = at[step.Index]
		default:
			return Absent
		}
	}
	switch v := v.(type) {
	case bool:
		return AnswerBool(v)
	case float64:
		return AnswerNumber(v)
	case string:
		return AnswerString(len(v))
	case []any:
		return AnswerArray
	case map[string]any:
		return AnswerObject
	}
	return AnswerNull
}

// Copy copies arrays and maps, which can be changed in place; the rest is shared.
func (d Any) Copy(DOM) DOM { return Any{copyAny(d.Root)} }

func copyAny(v any) any {
	switch v := v.(type) {
	case []any:
		items := make([]any, len(v))
		for i, item := range v {
			items[i] = copyAny(item)
		}
		return items
	case map[string]any:
		members := make(map[string]any, len(v))
		for key, value := range v {
			members[key] = copyAny(value)
		}
		return members
	}
	return v
}

// Sum returns a checksum of the content.
func (d Any) Sum() uint64 { return sumAny(d.Root) }

func sumAny(v any) uint64 {
	switch v := v.(type) {
	case bool:
		return SumBool(v)
	case float64:
		return SumNumber(v)
	case string:
		return SumString(v)
	case []any:
		sum := SumArray
		for _, item := range v {
			sum = SumItem(sum, sumAny(item))
		}
		return sum
	case map[string]any:
		sum := SumObject
		for key, value := range v {
			sum = SumMember(sum, key, sumAny(value))
		}
		return sum
	}
	return SumNull
}

// Free does nothing: the collector frees the document.
func (Any) Free() {}

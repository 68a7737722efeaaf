package parse

import "github.com/coppice-go/coppice/workloads/json/go/dom"

// AsAny returns a document in the form in which encoding/json decodes it, for comparisons. It
// recurses as deep as values nest.
func AsAny(v dom.Value) any {
	switch v := v.(type) {
	case *dom.Bool:
		return v.Value
	case *dom.Int:
		return float64(v.Value)
	case *dom.Number:
		return v.Value
	case *dom.String:
		return v.Value
	case *dom.Array:
		items := []any{}
		for _, item := range v.Items {
			items = append(items, AsAny(item))
		}
		return items
	case *dom.Object:
		members := map[string]any{}
		for _, m := range v.Members {
			members[m.Key] = AsAny(m.Value)
		}
		return members
	}
	return nil
}

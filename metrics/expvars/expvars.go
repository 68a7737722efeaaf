// Package expvars publishes statistics of containers at /debug/vars. It uses package expvar of the
// standard library, which registers that page with http.DefaultServeMux when it is imported.
//
//	var watched metrics.Set
//	watched.Add("sessions", metrics.Cache(sessions))
//	expvars.Publish("coppice", &watched)
//
// The variable is a JSON object. It contains an object for each kind of container, which in turn
// contains an object for each name:
//
//	"coppice": {
//		"cache": {"sessions": {"hits_total": 41, ...}},
//		"memory": {"people": {"committed_bytes": 2097152, ...}}
//	}
//
// Each request reads all containers once. Package metrics describes which containers may be read,
// the cost, and the result for a closed container.
package expvars

import (
	"expvar"

	"github.com/coppice-go/coppice/metrics"
)

// Publish publishes the statistics of the containers in a Set, and the accounts of the process, as
// the variable with the given name. For a nil Set, it publishes only the accounts. Containers that
// are added to the Set later are included. Package expvar cannot remove a variable, and panics if
// the name is in use, so call Publish once.
func Publish(name string, set *metrics.Set) { expvar.Publish(name, Var(set)) }

// Var returns the variable that Publish publishes, for use in an expvar.Map or a page of your own.
// Its methods are safe for concurrent use.
func Var(set *metrics.Set) expvar.Func {
	return func() any {
		kinds := map[string]map[string]map[string]float64{}
		for _, r := range set.Read() {
			if kinds[r.Kind] == nil {
				kinds[r.Kind] = map[string]map[string]float64{}
			}
			values := make(map[string]float64, len(r.Samples))
			for _, s := range r.Samples {
				values[s.Name] = s.Value
			}
			kinds[r.Kind][r.Name] = values
		}
		return kinds
	}
}

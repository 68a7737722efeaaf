// Package expvars shows containers at /debug/vars, by package expvar of the standard library, which
// registers that page with http.DefaultServeMux when it is imported.
//
//	var watched metrics.Set
//	watched.Add("sessions", metrics.Cache(sessions))
//	expvars.Publish("coppice", &watched)
//
// The page has a JSON object for each kind of container, of an object for each name:
//
//	"coppice": {
//		"cache": {"sessions": {"hits_total": 41, ...}},
//		"memory": {"people": {"committed_bytes": 2097152, ...}}
//	}
//
// Each request reads all containers once. Package metrics says which containers may be read so,
// what that costs, and what a closed one shows.
package expvars

import (
	"expvar"

	"github.com/coppice-go/coppice/metrics"
)

// Publish shows the containers of a Set, and the accounts of the process, as the variable of that
// name. A nil Set has the accounts only. Containers that are added to the Set later come too.
// Package expvar cannot take a variable away, and ends the process by a panic if the name is in
// use: call Publish once.
func Publish(name string, set *metrics.Set) { expvar.Publish(name, Var(set)) }

// Var returns the variable that Publish publishes, for an expvar.Map or a page of your own. Any
// goroutine may call its methods.
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

package main

import (
	"bytes"
	"fmt"
	"runtime"
	"runtime/pprof"
	"strings"

	"github.com/google/pprof/profile"
)

// allocatedBy returns the share of all allocations so far that functions whose names contain name
// have made, as estimated by the allocation profile.
func allocatedBy(name string) (float64, error) {
	runtime.GC() // the profile shows the state at the last collection
	var data bytes.Buffer
	if err := pprof.Lookup("allocs").WriteTo(&data, 0); err != nil {
		return 0, err
	}
	p, err := profile.Parse(&data)
	if err != nil {
		return 0, err
	}
	const allocObjects = 0
	if p.SampleType[allocObjects].Type != "alloc_objects" {
		return 0, fmt.Errorf("the first value of the allocation profile is %q", p.SampleType[allocObjects].Type)
	}
	var all, own float64
	for _, s := range p.Sample {
		all += float64(s.Value[allocObjects])
		if lines := s.Location[0].Line; len(lines) > 0 && strings.Contains(lines[0].Function.Name, name) {
			own += float64(s.Value[allocObjects])
		}
	}
	if all == 0 {
		return 0, nil // too few allocations for the profile to contain a sample
	}
	return own / all, nil
}

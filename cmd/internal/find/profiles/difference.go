package profiles

import (
	"strconv"
	"strings"

	"github.com/google/pprof/profile"
)

// Difference returns the allocations of a process between two heap profiles, and the change in the
// number of objects and bytes in use. It omits stacks that allocated nothing between the profiles.
// Otherwise the change in use would be negative for stacks whose objects were allocated before and
// died between the profiles.
func Difference(after, before *profile.Profile) *profile.Profile {
	earlier := map[string][]int64{}
	for _, s := range before.Sample {
		earlier[addresses(s)] = s.Value
	}
	d := &profile.Profile{SampleType: after.SampleType, Mapping: after.Mapping, Location: after.Location, Function: after.Function, PeriodType: after.PeriodType, Period: after.Period}
	objects := column(after, "alloc_objects")
	for _, s := range after.Sample {
		was := earlier[addresses(s)]
		now := *s
		now.Value = make([]int64, len(s.Value))
		for i, v := range s.Value {
			now.Value[i] = v
			if i < len(was) {
				now.Value[i] -= was[i]
			}
		}
		if objects >= 0 && now.Value[objects] > 0 {
			d.Sample = append(d.Sample, &now)
		}
	}
	return d
}

// addresses returns a key for the stack and the object size of a sample. The key is unique within
// one process.
func addresses(s *profile.Sample) string {
	var key strings.Builder
	for _, l := range s.Location {
		key.WriteString(strconv.FormatUint(l.Address, 16))
		key.WriteByte(' ')
	}
	for _, size := range s.NumLabel["bytes"] {
		key.WriteString(strconv.FormatInt(size, 10))
	}
	return key.String()
}

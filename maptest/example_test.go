package maptest_test

import (
	"fmt"
	"iter"
	"maps"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/maptest"
)

func ExampleRun() {
	TestConformance := func(t *testing.T) {
		maptest.Run(t, func() maptest.Map[string, int] {
			m := map[string]int{}
			return maptest.Map[string, int]{
				Set:     func(k string, v int) { m[k] = v },
				Get:     func(k string) (int, bool) { v, ok := m[k]; return v, ok },
				Len:     func() int { return len(m) },
				All:     func() iter.Seq2[string, int] { return maps.All(m) },
				Changes: true,
			}
		})
	}
	_ = TestConformance // in a test file, go test runs it
}

func ExampleVerify() {
	err := maptest.Verify(func() maptest.Map[uint8, int] {
		m := [16]int{} // too small, so keys collide
		return maptest.Map[uint8, int]{
			Set: func(k uint8, v int) { m[k%16] = v },
			Get: func(k uint8) (int, bool) { return m[k%16], m[k%16] != 0 },
		}
	}, maptest.SetIsFound)
	fmt.Println(strings.SplitN(err.Error(), "\n", 2)[0])
	// Output: broken promise: a key that was set is found with its value, and no other key is
}

func ExamplePromises() {
	fmt.Println(len(maptest.Promises()), "promises, beginning with:", maptest.Promises()[0])
	// Output: 15 promises, beginning with: a key that was set is found with its value, and no other key is
}

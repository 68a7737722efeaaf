package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
)

// manifests returns a YAML document of at least size bytes that describes services. The
// document is the same every time.
func manifests(size int) []byte {
	random := rand.New(rand.NewPCG(3, 4))
	var out bytes.Buffer
	out.WriteString("# what runs where\ndefaults: &defaults\n  restart: always\n  timeout: 30s\nservices:\n")
	for i := 0; out.Len() < size; i++ {
		fmt.Fprintf(&out, "  - name: service-%04d # number %d\n", i, i)
		fmt.Fprintf(&out, "    image: \"registry/team-%d/service:%d.%d\"\n", random.IntN(40), random.IntN(9), random.IntN(99))
		fmt.Fprintf(&out, "    policy: *defaults\n    replicas: %d\n    enabled: %t\n    weight: %.3f\n", random.IntN(20), i%3 > 0, random.Float64())
		out.WriteString("    ports: [")
		for j := range 1 + random.IntN(4) {
			if j > 0 {
				out.WriteString(", ")
			}
			fmt.Fprint(&out, 1024+random.IntN(60000))
		}
		out.WriteString("]\n    env:\n")
		for j := range 2 + random.IntN(6) {
			fmt.Fprintf(&out, "      KEY_%d_%d: 'value %x'\n", j, random.IntN(1000), random.Uint32())
		}
		out.WriteString("    command:\n      - /bin/run\n")
		for range random.IntN(5) {
			fmt.Fprintf(&out, "      - --option=%x\n", random.Uint32())
		}
		if i%7 == 0 {
			fmt.Fprintf(&out, "    notes: |\n      The service number %d\n      has two lines.\n", i)
		}
	}
	return out.Bytes()
}

package slab

import (
	"fmt"

	"github.com/dustin/go-humanize"

	"github.com/coppice-go/coppice/internal/chunkrule"
)

// longest formats the maximum size of a chunk for messages.
func longest() string {
	if bytes := chunkrule.Sizes[0]; bytes < 2<<10 {
		return humanize.Comma(int64(bytes)) + " bytes"
	}
	return fmt.Sprintf("%.1f KiB", float64(chunkrule.Sizes[0])/(1<<10))
}

// slabBytes returns the number of bytes that an owner's slab allocates for the given number of
// values of the given size. It assumes that half of the last chunk is used, because owners allocate
// different numbers of values.
func slabBytes(values float64, size int) float64 {
	size = max(1, size)
	slots, last := 0, 1
	for longest := chunkrule.Longest(size); float64(slots) < values && last < longest; slots += last {
		last = chunkrule.Length(uint(slots), size)
	}
	return (max(1, values) + float64(last-1)/2) * float64(size)
}

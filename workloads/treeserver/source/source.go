// Package source generates the files of a repository, which resemble handwritten code: three out of
// four are Go, and one is JavaScript. It also makes small changes, as an editor does while a user
// types. The same arguments always result in the same text, with every release of Go.
package source

import (
	"fmt"

	module "github.com/coppice-go/coppice/workloads/jsast/source"
)

// GreatestDepth is the depth for 4,096 files, which occupy about 30 MB.
const GreatestDepth = 12

// IsGo reports whether a file is Go.
func IsGo(file int) bool { return file%4 != 3 }

// Name returns the name of a file.
func Name(file int) string {
	if IsGo(file) {
		return fmt.Sprintf("f%05d.go", file)
	}
	return fmt.Sprintf("f%05d.js", file)
}

// File returns the text of a file. Most files are 2 to 12 KB long, and one in sixteen is four
// times as long.
func File(file int) []byte {
	seed := mix(uint64(file))
	units := 3 + int(seed%14)
	if seed>>32%16 == 0 {
		units *= 4
	}
	if IsGo(file) {
		return goFile(file, units, seed)
	}
	return module.Units(units, seed)
}

// mix maps each number to a different number, each bit of which depends on all bits of x. It is
// the finalizer of SplitMix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Below returns a number less than of that depends on n and looks random.
func Below(n uint64, of int) int { return int(mix(n) % uint64(of)) }

// Queried returns the name that query i searches for. Some names are in most files, and some in
// few.
func Queried(i int) string {
	seed := mix(uint64(i) + 1<<40)
	switch seed % 4 {
	case 0:
		return nouns[seed>>8%uint64(len(nouns))]
	case 1:
		return verbs[seed>>8%uint64(len(verbs))] + title(nouns[seed>>32%uint64(len(nouns))])
	case 2:
		return typeName(nouns[seed>>8%uint64(len(nouns))], int(seed>>32%64))
	default:
		return []string{"err", "ctx", "key", "size", "state", "items"}[seed>>8%6]
	}
}

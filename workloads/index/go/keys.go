package main

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// mix maps each i to a different number that looks random (splitmix64, by Steele, Lea and
// Flood).
func mix(i int) uint64 {
	x := uint64(i) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func number(i int) uint64 { return mix(i) }

func identifier(i int) (id [12]byte) {
	binary.BigEndian.PutUint32(id[:], uint32(i/1000)) // like ids that begin with a timestamp
	binary.BigEndian.PutUint64(id[4:], mix(i))
	return id
}

// syllables are the parts of pronounceable words.
var syllables = strings.Fields("ba ke li mo nu ra se ti vo wu da fe gi ho ju la pe qui ro sta the un ver wa xe yo zu ing ter ed er est")

func word(i int) string {
	var b strings.Builder
	for x := uint64(i)*0x9E3779B1&0xFFFFFFFF | 1<<32; x > 1; x >>= 5 { // 32 bits unique to i
		b.WriteString(syllables[x&31])
	}
	return b.String()
}

func url(i int) string {
	x := mix(i)
	return fmt.Sprintf("https://www.example.org/%s/%x?page=%d", syllables[x&31], x>>20, i)
}

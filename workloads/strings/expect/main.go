// Command expect prints the expected output of strings for a depth. It counts the words of the
// text in ../spec.md with a map, sorts them and looks them up.
package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
)

func main() {
	if len(os.Args) != 3 || os.Args[1] != "long" && os.Args[1] != "short" {
		fmt.Fprintln(os.Stderr, "usage: expect long|short DEPTH")
		os.Exit(2)
	}
	depth, err := strconv.Atoi(os.Args[2])
	if err != nil || depth < 4 || depth > 26 {
		fmt.Fprintf(os.Stderr, "expect: depth %q is not a whole number from 4 to 26\n", os.Args[2])
		os.Exit(2)
	}
	text := choose(vocabulary(os.Args[1], max(1, 1<<(depth-4)-1)), depth)
	over15, over31 := 0, 0
	places := map[string]uint64{}
	for _, word := range text {
		places[word] = 0
		if len(word) > 15 {
			over15++
		}
		if len(word) > 31 {
			over31++
		}
	}
	var x, y uint64
	for i, word := range slices.Sorted(maps.Keys(places)) {
		places[word] = uint64(i) + 1
		for _, b := range []byte(word) {
			y = 31*y + uint64(b)
		}
		y *= 31
	}
	for _, word := range text {
		x = 31*x + places[word]
	}
	fmt.Printf("%d words, %d longer than 15, %d longer than 31\n", len(text), over15, over31)
	fmt.Printf("%d distinct words, spelling %d\n", len(places), y)
	fmt.Printf("checksum %d\n", x)
}

// A state is the state of the generator.
type state uint64

func (s *state) draw() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// vocabulary returns all words of a kind.
func vocabulary(kind string, n int) []string {
	least, span := map[string]uint64{"long": 16, "short": 3}, map[string]uint64{"long": 16, "short": 13}
	words := make([]string, n)
	for r := range words {
		s := state(r)
		length := least[kind] + s.draw()%span[kind]
		if r%10 == 9 {
			s = state(r) // for an outlier, the same draw selects from another range
			outlier := map[string]uint64{"long": 32, "short": 16}[kind]
			length = outlier + s.draw()%outlier
		}
		word := make([]byte, length)
		for i := range word {
			word[i] = 'a' + byte(s.draw()%26)
		}
		words[r] = string(word)
	}
	return words
}

// choose draws the words of the text.
func choose(words []string, depth int) []string {
	s := state(1)
	text := make([]string, 1<<depth)
	for i := range text {
		r := uint64(0)
		if depth > 4 {
			k := s.draw() % uint64(depth-4)
			r = 1<<k - 1 + s.draw()%(1<<k)
		}
		text[i] = words[r]
	}
	return text
}

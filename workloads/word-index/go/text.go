package main

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

var syllables = []string{"ba", "cor", "di", "fen", "gal", "ha", "is", "ko", "lum", "me", "nor", "o", "pe", "ra", "so", "tu"}

// makeText returns distinct words in random order, and a text of twice as many words, in a
// different order, in which each word occurs at least once. It is the same every time.
func makeText(distinct int) (words, text []string) {
	random := rand.New(rand.NewPCG(2012, 2026))
	words = make([]string, distinct)
	for i := range words {
		words[i] = word(i)
	}
	text = append(text, words...)
	for range distinct {
		f := random.Float64()
		text = append(text, words[int(f*f*float64(distinct))])
	}
	random.Shuffle(len(text), func(i, j int) { text[i], text[j] = text[j], text[i] })
	random.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	return words, text
}

// word returns the i-th word, whose syllables are the digits of i.
func word(i int) string {
	var b strings.Builder
	for n := i; n > 0; n /= len(syllables) {
		b.WriteString(syllables[n%len(syllables)])
	}
	if b.Len() < 4 {
		b.WriteString(strconv.Itoa(i))
	}
	return b.String()
}

package firstroom

import (
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// chain returns the sizes of the arrays that slices with 8-byte elements have while they grow. Its
// arguments are the numbers of slices whose last array has room for 1, 2, 4, ... elements.
func chain(ends ...float64) (sizes []site.Size) {
	for i := range ends {
		s := site.Size{Bytes: 8 << i}
		for _, n := range ends[i:] {
			s.Objects += n
		}
		sizes = append(sizes, s)
	}
	return sizes
}

func TestChoose(t *testing.T) {
	for name, c := range map[string]struct {
		sizes []site.Size
		elem  int64
		want  int // 0 for none
	}{
		"all of one length":                  {chain(0, 0, 0, 0, 10), 8, 16},
		"one slice":                          {chain(0, 0, 0, 0, 0, 1), 8, 32},
		"most are of the longest":            {chain(1, 1, 1, 40), 8, 8},
		"most are short, few are long":       {chain(0, 100, 0, 0, 1), 8, 2},
		"all have one element":               {chain(100), 8, 0},
		"nearly all have one element":        {chain(1000, 3, 2, 1), 8, 0},
		"as many of each":                    {chain(10, 10, 10, 10), 8, 2},
		"long ones take most of the bytes":   {chain(10, 10, 10, 10, 10, 1000), 8, 32},
		"more than is asked for at once":     {chain(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1), 8, 512},
		"all get more than the usual limit":  {chain(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1), 8, 2048},
		"some get more than the usual limit": {chain(0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1), 8, 512},
		"large elements":                     {[]site.Size{{Bytes: 5000, Objects: 10}, {Bytes: 10_000, Objects: 10}}, 5000, 0},
		"several begin in the middle":        {[]site.Size{{Bytes: 8, Objects: 1}, {Bytes: 32, Objects: 90}, {Bytes: 64, Objects: 90}}, 8, 0},
		"no sizes":                           {nil, 8, 0},
		"elements of no size":                {chain(0, 0, 1), 0, 0},
	} {
		got, ok := choose(c.sizes, c.elem)
		if ok != (c.want > 0) || got.n != c.want {
			t.Errorf("%s: %+v, want room for %d", name, got, c.want)
		}
	}
}

// TestChooseCounts verifies the effects that choose predicts against numbers that were counted by
// hand.
func TestChooseCounts(t *testing.T) {
	got, ok := choose(chain(0, 3, 0, 0, 5), 8) // 8 arrays each of 8 and 16 bytes, 5 each of 32, 64 and 128
	if want := (room{n: 4, most: 16, lists: 8, fit: 3.0 / 8, objects: 18.0 / 31, bytes: (8.0*32 + 5*192) / (8*24 + 5*224)}); !ok || got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

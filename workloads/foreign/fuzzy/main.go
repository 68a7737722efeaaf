// Command fuzzy trains the spelling checker of github.com/sajari/fuzzy and queries it. The
// problem is in ../spec.md. The folder changes contains its forms.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/sajari/fuzzy"

	"github.com/coppice-go/coppice/workloads/foreign/driver"
)

const (
	models  = 1       // number of models that a run trains at the default depth
	terms   = 30_000  // number of different words
	text    = 500_000 // number of words in the text
	queries = 10_000  // number of queries to each model
)

func main() {
	saved := flag.Bool("saved", false, "hash the model as it is saved, too, and ask the one that is loaded from that")
	driver.Main("fuzzy", &program{saved: saved})
}

// A program trains one model after another, and queries each.
type program struct {
	saved *bool
	text  []string
	model *fuzzy.Model
	waits []time.Duration // response time of each query
}

// Load generates a text in which some words are frequent, and each word occurs often enough to be
// suggested.
func (p *program) Load(depth int) (int, error) {
	r := rand.New(rand.NewPCG(3, 4))
	z := rand.NewZipf(r, 1.1, 20, terms-1)
	known := make([]string, terms)
	for i := range known {
		known[i] = word(r)
		for range fuzzy.SpellThresholdDefault + 1 {
			p.text = append(p.text, known[i])
		}
	}
	for len(p.text) < text {
		p.text = append(p.text, known[z.Uint64()])
	}
	r.Shuffle(len(p.text), func(i, j int) { p.text[i], p.text[j] = p.text[j], p.text[i] })
	return driver.Operations(depth, models), nil
}

// word returns two to four syllables.
func word(r *rand.Rand) string {
	const consonants, vowels = "bcdfghklmnprstvw", "aeiou"
	var b strings.Builder
	for range 2 + r.IntN(3) {
		b.WriteByte(consonants[r.IntN(len(consonants))])
		b.WriteByte(vowels[r.IntN(len(vowels))])
		if r.IntN(3) == 0 {
			b.WriteByte(consonants[r.IntN(len(consonants))])
		}
	}
	return b.String()
}

// misspelt returns a word of the text with two adjacent letters swapped, or one letter left
// out.
func (p *program) misspelt(r *rand.Rand) string {
	b := []byte(p.text[r.IntN(len(p.text))])
	at := 1 + r.IntN(len(b)-2)
	if r.IntN(2) == 0 {
		return string(slices.Delete(b, at, at+1))
	}
	b[at], b[at+1] = b[at+1], b[at]
	return string(b)
}

// Operate trains a model, and queries it.
func (p *program) Operate() error {
	if err := p.end(); err != nil {
		return err
	}
	p.model = fuzzy.NewModel()
	p.model.Train(p.text)
	r := rand.New(rand.NewPCG(5, 6))
	for range queries {
		start := time.Now()
		p.model.Potentials(p.misspelt(r), false)
		p.waits = append(p.waits, time.Since(start))
	}
	return nil
}

// Sum hashes the answers in a fixed order, because fuzzy returns them in random order.
func (p *program) Sum() (uint64, error) {
	s := driver.NewSum()
	if *p.saved {
		if err := p.save(&s); err != nil {
			return 0, err
		}
	}
	r := rand.New(rand.NewPCG(7, 8))
	for i := range 2000 {
		found := p.model.Potentials(p.misspelt(r), i%2 == 0)
		all := make([]*fuzzy.Potential, 0, len(found))
		for _, f := range found {
			all = append(all, f)
		}
		slices.SortFunc(all, func(a, b *fuzzy.Potential) int { return strings.Compare(a.Term, b.Term) })
		for _, f := range all {
			s.Text(f.Term)
			s.Number(f.Score)
			s.Number(f.Leven)
			s.Number(int(f.Method))
		}
		s.Number(len(all))
	}
	return uint64(s), p.end()
}

// save adds the saved model, whose parts may be in any order, to the sum. It then loads a model
// from the saved form and replaces the model with it.
func (p *program) save(s *driver.Sum) error {
	var text bytes.Buffer
	if _, err := p.model.WriteTo(&text); err != nil {
		return err
	}
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(text.Bytes(), &parts); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		s.Text(name)
		s.Text(string(parts[name]))
	}
	if err := p.end(); err != nil {
		return err
	}
	var err error
	p.model, err = fuzzy.FromReader(&text)
	return err
}

// end releases the memory that the collector does not free.
func (p *program) end() error {
	model := p.model
	p.model = nil
	if c, ok := any(model).(io.Closer); ok && model != nil {
		return c.Close()
	}
	return nil
}

// Figures returns the 99.9th percentile of the response times.
func (p *program) Figures() map[string]float64 {
	slices.Sort(p.waits)
	return map[string]float64{"p999_s": p.waits[len(p.waits)*999/1000].Seconds()}
}

// Command gomarkov trains a Markov chain of github.com/mb-14/gomarkov and queries it. The
// problem is in ../spec.md. With -index the chain is our own: the same data in a symbols.Table
// and a btree.Map.
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/mb-14/gomarkov"

	"github.com/coppice-go/coppice/workloads/foreign/driver"
)

const (
	chains    = 1       // number of chains that a run trains at the default depth
	sentences = 40_000  // number of sentences in a chain's text
	length    = 14      // number of words in a sentence
	words     = 60_000  // number of different words
	questions = 100_000 // number of questions to each chain
	order     = 2       // number of words that predict the next one
	follow    = 2       // number of words generated for each question
)

func main() {
	own := flag.Bool("index", false, "use our chain")
	driver.Main("gomarkov", &program{own: own})
}

// A chain is the interface of both implementations.
type chain interface {
	Add(input []string)
	TransitionProbability(next string, current gomarkov.NGram) (float64, error)
	GenerateDeterministic(current gomarkov.NGram, prng gomarkov.PRNG) (string, error)
}

// A program trains one chain after another, and queries each.
type program struct {
	own   *bool
	text  [][]string
	last  chain
	close func() error
	waits []time.Duration // response time of each question
}

// Load generates a text in which some words are frequent.
func (p *program) Load(depth int) (int, error) {
	r := rand.New(rand.NewPCG(3, 4))
	z := rand.NewZipf(r, 1.2, 20, words-1)
	for range sentences {
		sentence := make([]string, length)
		for i := range sentence {
			sentence[i] = fmt.Sprintf("w%d", z.Uint64())
		}
		p.text = append(p.text, sentence)
	}
	return driver.Operations(depth, chains), nil
}

// Operate trains a chain, and queries it as a service would: each answer creates garbage, and
// the collector runs meanwhile.
func (p *program) Operate() error {
	if err := p.end(); err != nil {
		return err
	}
	p.last = gomarkov.NewChain(order)
	if *p.own {
		own, err := newChain(order)
		if err != nil {
			return err
		}
		p.last, p.close = own, own.Close
	}
	for _, sentence := range p.text {
		p.last.Add(slices.Clone(sentence))
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range questions {
		start := time.Now()
		if _, err := p.answer(r); err != nil {
			return err
		}
		p.waits = append(p.waits, time.Since(start))
	}
	return nil
}

// answer generates some words that follow two words of the text.
func (p *program) answer(r *rand.Rand) (string, error) {
	sentence := p.text[r.IntN(len(p.text))]
	at := r.IntN(length - order)
	said := append(make([]string, 0, order+follow), sentence[at:at+order]...)
	for range follow {
		next, err := p.last.GenerateDeterministic(said[len(said)-order:], prng{r})
		if err != nil {
			return "", err
		}
		said = append(said, next)
		if next == gomarkov.EndToken {
			break
		}
	}
	return strings.Join(said, " "), nil
}

// prng adds the method that the chain requires.
type prng struct{ *rand.Rand }

// Intn returns a number from 0 to n-1.
func (p prng) Intn(n int) int { return p.IntN(n) }

// Sum hashes answers and probabilities.
func (p *program) Sum() (uint64, error) {
	s := driver.NewSum()
	r := rand.New(rand.NewPCG(7, 8))
	for i := range 2000 {
		text, err := p.answer(r)
		if err != nil {
			return 0, err
		}
		s.Text(text)
		sentence := p.text[i]
		chance, err := p.last.TransitionProbability(sentence[order], sentence[:order])
		if err != nil {
			return 0, err
		}
		s.Text(fmt.Sprint(chance))
	}
	return uint64(s), p.end()
}

// end releases the memory that the collector does not free.
func (p *program) end() error {
	if p.close == nil {
		return nil
	}
	end := p.close
	p.close = nil
	return end()
}

// Figures returns the 99.9th percentile of the response times.
func (p *program) Figures() map[string]float64 {
	slices.Sort(p.waits)
	return map[string]float64{"p999_s": p.waits[len(p.waits)*999/1000].Seconds()}
}

package service

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/arena"
	"github.com/coppice-go/coppice/workloads/requests/go/sheet"
)

// evaluate handles POST /evaluate.
func (s *Service) evaluate(w http.ResponseWriter, r *http.Request) {
	x := s.exchanges.Get()
	defer s.exchanges.Put(x)
	if _, err := x.body.ReadFrom(http.MaxBytesReader(w, r.Body, s.options.MaxBody)); err != nil {
		refuseBody(w, err)
		return
	}
	if err := s.answer(x); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(x.answer)))
	_, _ = w.Write(x.answer) // fails if the client has gone; then the error cannot be reported
}

// answer evaluates the body of an exchange. A nil arena stands for the Go heap.
func (s *Service) answer(x *exchange) error {
	if s.arenas == nil {
		return s.answerFrom(nil, x.body.String(), x)
	}
	a := s.arenas.Get()   // 1: one arena for all that the request needs
	defer s.arenas.Put(a) // the arena goes back when the answer is complete
	return s.answerFrom(a, a.String(x.body.Bytes()), x)
}

// answerFrom parses the source, evaluates it, and appends the answer.
func (s *Service) answerFrom(a *arena.Arena, source string, x *exchange) error {
	parsed, err := sheet.Parse(a, source) // 2: the tree and the values are in the arena
	if err != nil {
		return err
	}
	if x.answer, err = parsed.AppendAnswer(x.answer, s.options.Prices); err != nil {
		return err // 3: the answer and the errors are outside the arena
	}
	if parsed.Title != "" {
		s.titles.add(strings.Clone(parsed.Title)) // the kept title is a copy outside the arena
	}
	return nil
}

// refuseBody answers a request whose body cannot be read.
func refuseBody(w http.ResponseWriter, err error) {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		http.Error(w, fmt.Sprintf("the sheet has more than %d bytes", tooLarge.Limit), http.StatusRequestEntityTooLarge)
		return
	}
	http.Error(w, "the body cannot be read: "+err.Error(), http.StatusBadRequest)
}

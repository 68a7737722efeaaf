package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/coppice-go/coppice/workloads/internal/selfreport"
	"github.com/coppice-go/coppice/workloads/internal/tails"
	"github.com/coppice-go/coppice/workloads/treeserver/source"
)

// These constants define the work of a server after its start.
const (
	editsPerFile = 4
	leastEdits   = 64
	between      = 16 // number of edits between two queries
	filesPerOpen = 16 // one file in this many is open in an editor, and edited again and again
)

func numberOfEdits(files int) int { return max(leastEdits, editsPerFile*files) }
func numberOpen(files int) int    { return max(1, files/filesPerOpen) }

// openFile returns the index of a file that is open in an editor. Some are Go, some JavaScript.
func openFile(i, files int) int { return (i*filesPerOpen + i*7%filesPerOpen) % files }

// A phase is what one process does.
type phase struct {
	strategy string
	dir      string // folder of the files
	files    int
	spawned  time.Time
}

// phases maps names to phases, one process each: first starts without kept trees and keeps its
// own, hold runs for a long time, and restart comes after it.
var phases = map[string]func(phase) ([]string, selfreport.Report, error){
	"first":   phase.first,
	"hold":    phase.hold,
	"restart": phase.restart,
}

// start loads all files, and asks for the references of a name. It returns the holder, the
// number of places, and the time since the process was started.
func (p phase) start() (h holder, places int, taken float64, err error) {
	if h, err = made(p.strategy, p.files); err != nil {
		return nil, 0, 0, err
	}
	if s, ok := h.(saver); ok {
		err = s.open(p.dir)
	}
	if err == nil {
		err = load(h, p.dir, p.files)
	}
	if err != nil {
		return nil, 0, 0, errors.Join(err, h.close())
	}
	places = len(h.references(source.Queried(0), nil))
	return h, places, time.Since(p.spawned).Seconds(), nil
}

// first starts without kept trees, and keeps all its trees.
func (p phase) first() ([]string, selfreport.Report, error) {
	h, _, taken, err := p.start()
	if err != nil {
		return nil, nil, err
	}
	figures := selfreport.Report{"first_s": taken}
	return nil, figures, errors.Join(p.save(h, figures), h.close())
}

// save keeps the trees, if the strategy can do so.
func (p phase) save(h holder, figures selfreport.Report) error {
	s, ok := h.(saver)
	if !ok {
		return nil
	}
	began := time.Now()
	err := s.save(p.dir)
	figures["save_s"] = time.Since(began).Seconds()
	return err
}

// hold starts, edits open files, and runs queries between the edits.
func (p phase) hold() ([]string, selfreport.Report, error) {
	since := selfreport.Start()
	h, _, taken, err := p.start()
	if err != nil {
		return nil, nil, err
	}
	s := session{phase: p, holder: h, change: h.updater(), edits: tails.New(), asked: tails.New(), linted: tails.New()}
	if err := s.open(); err != nil {
		return nil, nil, errors.Join(err, h.close())
	}
	selfreport.Resident() // returns the memory of parsing to the system
	known := selfreport.ResetPeak()
	before := since.Report()["gc_cpu_s"]
	cpu, err := selfreport.CPU(s.work)
	if err != nil {
		return nil, nil, errors.Join(err, h.close())
	}
	collected := since.Report()["gc_cpu_s"] - before
	peak, held := selfreport.Peak(), selfreport.Resident()
	figures := since.Report()
	figures["start_s"], figures["trace_cpu_s"], figures["trace_gc_s"] = taken, cpu, collected
	if known {
		figures["peak_bytes"] = peak
	}
	if held > 0 {
		figures["held_bytes"] = held
	}
	for name, t := range map[string]*tails.Tail{"edit": s.edits, "references": s.asked, "lint": s.linted} {
		figures[name+"_p50_s"], figures[name+"_p99_s"], figures[name+"_max_s"] = t.At(50), t.At(99), t.Longest()
	}
	lines := s.lines()
	runtime.KeepAlive(h)
	return lines, figures, errors.Join(s.write(), p.save(h, figures), h.close())
}

// restart starts after the other phases, and answers queries.
func (p phase) restart() ([]string, selfreport.Report, error) {
	h, places, taken, err := p.start()
	if err != nil {
		return nil, nil, err
	}
	var asked, linted digest
	for i := range 8 {
		asked.add(i, h.references(source.Queried(i), nil))
	}
	linted.add(0, h.lint(nil))
	lines := []string{fmt.Sprintf("after a restart %d, references: %v; findings: %v", places, &asked, &linted)}
	return lines, selfreport.Report{"restart_s": taken}, h.close()
}

// A session is the state of a running server: the files open in editors, and the answers to
// queries.
type session struct {
	phase
	holder holder
	change update
	texts  [][]byte // contents of the open files
	spare  []byte
	found  []place

	edits, asked, linted *tails.Tail
	references, findings digest
}

// open reads the texts of the open files.
func (s *session) open() error {
	s.texts = make([][]byte, numberOpen(s.files))
	for i := range s.texts {
		var err error
		if s.texts[i], err = read(nil, s.dir, openFile(i, s.files)); err != nil {
			return err
		}
	}
	return nil
}

// work edits files and runs queries. Neither generating the text of an edit nor adding up an answer
// is timed.
func (s *session) work() error {
	for n := range numberOfEdits(s.files) {
		i := source.Below(uint64(n), len(s.texts))
		next := source.Edit(s.spare[:0], s.texts[i], uint64(n))
		s.texts[i], s.spare = next, s.texts[i]
		before := tails.Now()
		err := s.change(openFile(i, s.files), next)
		s.edits.Add(tails.Now() - before)
		if err != nil {
			return err
		}
		if n%between == between-1 {
			s.ask(n / between)
		}
	}
	return nil
}

// ask runs a query. Queries alternate between references of a name and findings of the rules.
func (s *session) ask(query int) {
	if query%2 == 0 {
		name := source.Queried(query)
		before := tails.Now()
		s.found = s.holder.references(name, s.found[:0])
		s.asked.Add(tails.Now() - before)
		s.references.add(query, s.found)
		return
	}
	before := tails.Now()
	s.found = s.holder.lint(s.found[:0])
	s.linted.Add(tails.Now() - before)
	s.findings.add(query, s.found)
}

// write writes the current texts of the open files.
func (s *session) write() error {
	for i, text := range s.texts {
		if err := os.WriteFile(path(s.dir, openFile(i, s.files)), text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) lines() []string {
	sum := 0
	for _, text := range s.texts {
		sum += len(text)
	}
	return []string{
		fmt.Sprintf("%d files, %d edits of %d, which have %d bytes then", s.files, numberOfEdits(s.files), len(s.texts), sum),
		fmt.Sprintf("references: %v", &s.references),
		fmt.Sprintf("findings: %v", &s.findings),
	}
}

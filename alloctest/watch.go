package alloctest

import (
	"runtime"
	"weak"
)

// A watch is weak pointers to what values point to.
type watch struct{ pointees []weak.Pointer[byte] }

// leastWatched is the size from which on variables of the Go heap are apart from each
// other, so that one being alive says nothing of its neighbours.
const leastWatched = 16

func (w *watch) add(p *byte) {
	if w != nil {
		w.pointees = append(w.pointees, weak.Make(p))
	}
}

// alive is how many of them the collector has not dropped.
func (w *watch) alive() (n int) {
	for _, p := range w.pointees {
		if p.Value() != nil {
			n++
		}
	}
	return n
}

// collect runs the collector until nothing is left that it could drop, and then fills
// what became free with something else.
func collect() {
	runtime.GC()
	runtime.GC()
	for i := range churn {
		rubbish[i%len(rubbish)] = make([]byte, 8<<(i%6))
		for j := range rubbish[i%len(rubbish)] {
			rubbish[i%len(rubbish)][j] = 0xA5
		}
	}
	clear(rubbish[:])
}

// churn is how many small blocks collect makes; rubbish keeps the last ones.
const churn = 2000

var rubbish [512][]byte

package witness

import coppiceAtomic "sync/atomic"

// coppiceWitness watches one owner. It is a field of the owner.
type coppiceWitness struct {
	self  *coppiceWitness     // its address at the first use; if the address differs, this is a copy
	busy  int32               // 1 while a call uses the owner
	owner coppiceAtomic.Value // its type: a string
	uses  uint

	goroutine uint64  // that uses it
	low, high uintptr // addresses in the stack of that goroutine

	first, last coppiceWitnessPlace
	activations []coppiceWitnessActivation
	number      uint // of activations so far
}

// coppiceWitnessSure is the number of first uses of an owner that determine the goroutine
// regardless of the stack address. After them, one in that many uses does.
const coppiceWitnessSure = 16

// is records the type of the owner.
func (w *coppiceWitness) is(owner string) {
	if w.owner.Load() == nil {
		w.owner.Store(owner)
	}
}

// enter begins a use of the owner.
func (w *coppiceWitness) enter() {
	if !coppiceAtomic.CompareAndSwapInt32(&w.busy, 0, 1) {
		w.violation("is used during another use", w.last)
	}
	here := coppiceWitnessHere()
	if w.self == nil {
		w.self, w.first = w, here
	}
	if w.self != w {
		w.leave()
		w.violation("is a copy of another one that was used before", w.first)
	}
	w.uses++
	if before := w.goroutine; !w.sameGoroutine(coppiceWitnessStackAddress()) {
		w.leave()
		w.violation("is used by a second goroutine ("+coppiceWitnessNumber(before)+" before)", w.last)
	}
	w.last = here
}

// leave ends the use.
func (w *coppiceWitness) leave() { coppiceAtomic.StoreInt32(&w.busy, 0) }

// sameGoroutine reports whether the goroutine that uses the owner is the same as before, or that
// package testing handed the owner over. Stacks do not overlap, so an address in the known part of
// the stack belongs to the same goroutine, unless the stack has moved meanwhile. For that case,
// some uses check the goroutine regardless of the address.
func (w *coppiceWitness) sameGoroutine(at uintptr) bool {
	if w.uses > coppiceWitnessSure && w.uses%coppiceWitnessSure != 0 && w.low <= at && at <= w.high {
		return true
	}
	id := coppiceWitnessGoroutine()
	const near = 1 << 14
	switch {
	case id != w.goroutine:
		coppiceWitnessRegister(id)
		if w.goroutine != 0 && !coppiceWitnessHandedOver(w.goroutine, id) {
			return false
		}
		w.goroutine, w.low, w.high = id, at, at
	case at < w.low && w.low-at < near:
		w.low = at
	case at > w.high && at-w.high < near:
		w.high = at
	case at < w.low || at > w.high:
		w.low, w.high = at, at
	}
	return true
}

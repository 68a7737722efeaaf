package witness

import coppiceReflect "reflect"

// coppiceWitnessActivation is one call's part of scratch space.
type coppiceWitnessActivation struct {
	number    uint
	mark, top int
	seen      coppiceReflect.Value // a copy of what it has collected; invalid if it took all space
	place     coppiceWitnessPlace
}

// coppiceWitnessHas ends with a violation if there is no owner.
func coppiceWitnessHas(has bool, owner string) {
	if !has {
		coppiceWitnessViolation("the owner of type "+owner+" is nil", coppiceWitnessPlace{})
	}
}

// push begins a part at the end of a list, or uses all of the space if the list is nil. It returns
// the number of the activation.
func (w *coppiceWitness) push(owner string, list interface{}) uint {
	w.is(owner)
	w.enter()
	defer w.leave()
	w.number++
	a := coppiceWitnessActivation{number: w.number, place: coppiceWitnessHere()}
	if list != nil {
		v := coppiceReflect.ValueOf(list)
		a.mark, a.top = v.Len(), v.Len()
		a.seen = coppiceReflect.MakeSlice(v.Type(), 0, 0)
	}
	w.activations = append(w.activations, a)
	return a.number
}

// check verifies that the activation is the last one, and that its part has not changed.
func (w *coppiceWitness) check(number uint, list interface{}) {
	w.enter()
	defer w.leave()
	w.find(number, list)
}

// find returns the activation. Later activations have panicked; only they may have left more
// elements in the list than this one has recorded.
func (w *coppiceWitness) find(number uint, list interface{}) *coppiceWitnessActivation {
	at := len(w.activations) - 1
	for at >= 0 && w.activations[at].number != number {
		at--
	}
	if at < 0 {
		w.violation("has scratch space that another call has ended: two calls took turns", w.last)
	}
	left := at < len(w.activations)-1
	w.activations = w.activations[:at+1]
	a := &w.activations[at]
	if list != nil {
		if length := coppiceReflect.ValueOf(list).Len(); length < a.top || length > a.top && !left {
			w.violation("has scratch space whose top moved under the call that uses it", a.place)
		}
	}
	return a
}

// grew records the elements that the activation has appended.
func (w *coppiceWitness) grew(number uint, list interface{}) {
	w.enter()
	defer w.leave()
	a := w.find(number, nil)
	v := coppiceReflect.ValueOf(list)
	if v.Len() < a.top {
		w.violation("has scratch space whose top moved under the call that uses it", a.place)
	}
	a.seen = coppiceReflect.AppendSlice(a.seen, v.Slice(a.top, v.Len()))
	a.top = v.Len()
}

// pop ends the activation, and verifies what it collected.
func (w *coppiceWitness) pop(number uint, list interface{}) {
	w.enter()
	defer w.leave()
	a := w.find(number, list)
	if list != nil && !coppiceWitnessSame(coppiceReflect.ValueOf(list).Slice(a.mark, a.top), a.seen) {
		w.violation("has scratch space in which another call changed what this one collected", a.place)
	}
	w.activations = w.activations[:len(w.activations)-1]
}

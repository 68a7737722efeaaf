package inline

import (
	"errors"
	"fmt"

	"github.com/coppice-go/coppice/internal/checks"
)

// verify checks the invariants of a Vec, for example that its unused inline elements are zero. It
// returns an error that describes the violated invariant and its likely cause, or nil if all
// invariants hold.
func (v *Vec[T, A]) verify() error {
	inside := v.room()
	switch {
	case v.n > uint(len(inside)):
		return fmt.Errorf("%d inline elements, but the capacity is %d; %s", v.n, len(inside), checks.Misused)
	case v.spill != nil && v.n != uint(len(inside)):
		return fmt.Errorf("%d elements have moved to the heap, but the inline count is %d, not %d; %s", len(v.spill), v.n, len(inside), checks.Misused)
	case v.spill != nil && checks.NonZero(inside) >= 0:
		return errors.New("the inline storage was written after the elements had moved to the heap, most likely through a result of Slice or At obtained before the move")
	case v.spill == nil && checks.NonZero(inside[v.n:]) >= 0:
		return fmt.Errorf("the inline storage of element %d was written after the element was removed, most likely through a result of Slice or At obtained before the removal", int(v.n)+checks.NonZero(inside[v.n:]))
	}
	return nil
}

package inline

import (
	"errors"
	"fmt"

	"github.com/coppice-go/coppice/internal/checks"
)

// verify returns an error that names the violated invariant of Vec and its likely cause. It checks
// the unused inline elements.
func (v *Vec[T, A]) verify() error {
	inside := v.room()
	switch {
	case v.n > uint(len(inside)):
		return fmt.Errorf("%d elements are inside, where %d fit; %s", v.n, len(inside), checks.Misused)
	case v.spill != nil && v.n != uint(len(inside)):
		return fmt.Errorf("%d elements have spilled, and %d are inside; %s", len(v.spill), v.n, checks.Misused)
	case v.spill != nil && checks.NonZero(inside) >= 0:
		return errors.New("the place inside, which the elements have left, was written, through a Slice or an At from before they moved")
	case v.spill == nil && checks.NonZero(inside[v.n:]) >= 0:
		return fmt.Errorf("the place of element %d, which was removed, was written, through a Slice or an At from before", int(v.n)+checks.NonZero(inside[v.n:]))
	}
	return nil
}

package change

import (
	"context"
	"errors"

	"github.com/coppice-go/coppice/cmd/internal/builds"
)

// Form makes a change that affects a whole package instead of single sites. If the change would not
// be the same in every build, Form returns a Refused error.
func Form(ctx context.Context, r Request) (*Change, error) {
	r.Sites, r.Guard = nil, nil
	c, err := r.Alone()
	if err != nil {
		return nil, err
	}
	around, err := r.Around()
	if err != nil {
		return nil, err
	}
	for _, b := range around.others {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		there := r
		there.Package = b.pkg
		made, err := there.Alone()
		var not Refused
		if errors.As(err, &not) {
			return nil, Refusef("in the build with %s, %s", b.name, not.Why)
		}
		if err != nil {
			return nil, err
		}
		if err := b.checkSame(c, made); err != nil {
			return nil, err
		}
	}
	files, err := c.apply()
	if err != nil {
		return nil, err
	}
	if r.imports(files) {
		c.Price = append(c.Price, assumedOfOrder)
	}
	err = around.CheckButOrder(ctx, files, c.Edits.Unused())
	var reordered *builds.Reordered
	if errors.As(err, &reordered) { // an import that is added by hand changes the order, too
		c.Price = append(c.Price, reordered.Error())
		err = nil
	}
	return c, err
}

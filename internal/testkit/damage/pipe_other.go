//go:build !unix

package damage

import "errors"

// makePipe fails: there are no named pipes among files here.
func makePipe(string) error { return errors.ErrUnsupported }

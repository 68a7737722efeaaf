//go:build !unix

package damage

import "errors"

// makePipe fails: the file system has no named pipes here.
func makePipe(string) error { return errors.ErrUnsupported }

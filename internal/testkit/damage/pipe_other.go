//go:build !unix

package damage

import "errors"

// makePipe returns an error, because the file systems of this operating system have no named pipes.
func makePipe(string) error { return errors.ErrUnsupported }

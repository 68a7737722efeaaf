//go:build !unix && !windows

package machine

import "errors"

// OwnUsage returns an error because this platform does not report the resources that a process has
// used.
func OwnUsage() (Usage, error) {
	return Usage{}, errors.New("the resource usage of a process is not available on this platform")
}

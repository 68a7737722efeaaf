//go:build !unix && !windows

package machine

import "errors"

// OwnUsage fails: this platform does not report it.
func OwnUsage() (Usage, error) {
	return Usage{}, errors.New("this platform does not tell what a process has used")
}

//go:build unix

package trees

import (
	"io/fs"
	"os"
	"syscall"
)

// isMine reports whether a file belongs to the user who runs this process. The check is necessary
// because any user can create folders among the temporary files.
func isMine(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}

//go:build linux || darwin

package image

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/child"
)

// limitVariable is the name of the environment variable that contains the maximum file size in
// bytes.
const limitVariable = "COPPICE_IMAGE_ROOM"

// init limits the size of files in the child processes of TestFullDisk.
func init() {
	room, err := strconv.ParseUint(os.Getenv(limitVariable), 10, 32)
	if err != nil {
		return
	}
	signal.Ignore(syscall.SIGXFSZ) // so that write returns an error instead
	limit := syscall.Rlimit{Cur: room, Max: room}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		panic(err)
	}
}

// If Save fails because the disk is full, only the old file remains, however much of the new file
// fits.
func TestFullDisk(t *testing.T) {
	step := 30_000
	if testing.Short() {
		step = 70_000
	}
	for room := 0; room < 2*align+150_000; room += step {
		saveWithRoom(t, room)
	}
}

// saveWithRoom saves in a child process whose files may have at most room bytes, and verifies that
// the old file remains.
func saveWithRoom(t *testing.T, room int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "image")
	check(t, Save(path, header, stateOf(1)...))
	cmd, err := child.Command()
	check(t, err)
	cmd.Env = append(os.Environ(), saver+"="+path, fmt.Sprintf("%s=%d", limitVariable, room))
	out, err := cmd.Output()
	if err == nil || len(out) == 0 {
		t.Fatalf("a process with room for %d bytes ended with %v and said %q", room, err, out)
	}
	expect(t, path, stateOf(1)...)
	onlyFile(t, path)
}

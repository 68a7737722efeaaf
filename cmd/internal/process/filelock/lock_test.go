package filelock

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/child"
)

// role is the environment variable that makes the test binary lock the folder it names instead of
// running tests.
const role = "COPPICE_RECORD_TEST"

func TestMain(m *testing.M) {
	if folder := os.Getenv(role); folder != "" {
		if _, err := Try(folder); err != nil {
			fmt.Println(err)
		} else {
			fmt.Println("locked")
		}
		_, _ = io.Copy(io.Discard, os.Stdin) // until killed
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A second process cannot lock a folder that is in use, and its error names the process that holds
// the lock. A lock whose holder was killed is released.
func TestLockOfAnotherProcess(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new")
	first, err := child.Command()
	if err != nil {
		t.Fatal(err)
	}
	first.Env = append(os.Environ(), role+"="+folder)
	if _, err := first.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	said, err := first.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Start(); err != nil {
		t.Skip(err)
	}
	var line string
	if _, err := fmt.Fscanln(said, &line); err != nil || line != "locked" {
		t.Fatalf("%q, %v", line, err)
	}
	_, err = Try(folder)
	want := fmt.Sprintf("%s is in use by another run (process %d, since ", folder, first.Process.Pid)
	if err == nil || !strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), "wait for it to end, or name another folder with -out") || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v, want %s", err, want)
	}
	_ = first.Process.Kill()
	_ = first.Wait()
	lock, err := Try(folder)
	if err != nil {
		t.Fatalf("the lab was killed, and %v", err)
	}
	lock.Release()
	if left, _ := os.ReadDir(folder); len(left) != 0 {
		t.Errorf("%v is left behind", left)
	}
}

// A lock is void if its owner has removed the file in the meantime.
func TestLockOfARemovedFile(t *testing.T) {
	folder := t.TempDir()
	one, err := Try(folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(folder, Name)); err != nil {
		t.Skip(err) // some systems cannot remove an open file
	}
	if err := sign(one.file, filepath.Join(folder, Name)); !os.IsNotExist(err) {
		t.Errorf("the removed file was signed: %v", err)
	}
	two, err := Try(folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := sign(one.file, filepath.Join(folder, Name)); !os.IsNotExist(err) {
		t.Errorf("another's file was signed: %v", err)
	}
	two.Release()
}

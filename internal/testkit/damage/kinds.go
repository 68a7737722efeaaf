package damage

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/image"
)

// A Container describes how the tests of this package open a saved container, and which errors they
// expect.
type Container struct {
	Open              func(path string) error // opens a file, and closes the container
	Invalid, Mismatch error                   // the errors that errors of Open wrap
}

// Kinds opens files that are not saved containers, and checks that the right error is returned for
// each. path is a valid file, and other is a valid file of a different container.
func Kinds(t *testing.T, path, other string, c Container) {
	t.Helper()
	whole, folder := read(t, path), t.TempDir()
	file := func(name string, b []byte) string {
		name = filepath.Join(folder, name)
		write(t, name, b)
		return name
	}
	paths := map[string]string{
		"nothing": file("empty", nil), "a byte": file("byte", whole[:1]), "a text": file("text", []byte(strings.Repeat("some text ", 50_000))),
		"zeros": file("zeros", make([]byte, len(whole))), "a half": file("half", whole[:len(whole)/2]), "a byte less": file("less", whole[:len(whole)-1]),
		"a byte more": file("more", append(whole[:len(whole):len(whole)], 0)), "a folder": folder,
	}
	if pipe := filepath.Join(folder, "pipe"); makePipe(pipe) == nil {
		paths["a pipe"] = pipe
	}
	if info, err := os.Stat(os.DevNull); err == nil && info.Mode()&fs.ModeDevice != 0 {
		paths["a device"] = os.DevNull
	}
	for what, path := range paths {
		if err := c.Open(path); !errors.Is(err, c.Invalid) || errors.Is(err, c.Mismatch) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := c.Open(other); !errors.Is(err, c.Mismatch) || errors.Is(err, c.Invalid) {
		t.Errorf("another container: %v", err)
	}
	if err := c.Open(filepath.Join(folder, "none")); !errors.Is(err, fs.ErrNotExist) || errors.Is(err, c.Invalid) {
		t.Errorf("no file: %v", err)
	}
	if err := c.Open(path); err != nil {
		t.Errorf("the sound file: %v", err)
	}
}

// KindsOfImages is like Kinds for a container that is saved as an image. It opens each file with
// and without verification. others lists valid files of other containers, to which KindsOfImages
// adds an image of a different kind.
func KindsOfImages(t *testing.T, path string, container func(verify bool) Container, others ...string) {
	t.Helper()
	elsewhere := filepath.Join(t.TempDir(), "other")
	if err := image.Save(elsewhere, image.Header{Kind: "other"}); err != nil {
		t.Fatal(err)
	}
	for _, other := range append(others, elsewhere) {
		Kinds(t, path, other, container(false))
		Kinds(t, path, other, container(true))
	}
}

// Package damage damages files of containers for tests: bits that are flipped, and files that are
// cut off. What opens such a file must say so.
package damage

import (
	"io"
	"os"
	"testing"
)

// FlipBits flips one bit of a file after another, each step bits, and expects an error from open
// each time. The file is as it was afterwards.
func FlipBits(t *testing.T, path string, step int, open func() error) {
	t.Helper()
	whole := read(t, path)
	for bit := 0; bit < 8*len(whole); bit += step {
		whole[bit/8] ^= 1 << (bit % 8)
		write(t, path, whole)
		if err := open(); err == nil {
			t.Errorf("bit %d is not noticed", bit)
		}
		whole[bit/8] ^= 1 << (bit % 8)
	}
	write(t, path, whole)
}

// CutOff shortens a file to some of all lengths that are less than its own, and expects an error
// from open each time. The file is as it was afterwards.
func CutOff(t *testing.T, path string, open func() error) {
	t.Helper()
	whole := read(t, path)
	for n := 0; n < len(whole); n += 1 + n/16 {
		write(t, path, whole[:n])
		if err := open(); err == nil {
			t.Errorf("%d bytes of %d are a container", n, len(whole))
		}
	}
	write(t, path, whole)
}

// StepOf returns the step for FlipBits: a few hundred bits of a file of 200 KiB, and fewer under go
// test -short. Where COPPICE_FULL is set they are fifty times as many.
func StepOf() int {
	switch {
	case os.Getenv("COPPICE_FULL") != "":
		return 101
	case testing.Short():
		return 19_001
	}
	return 4001
}

// Closed closes a container that a damaged file has become.
func Closed[C io.Closer](c C, err error) error {
	if err == nil {
		c.Close()
	}
	return err
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return whole
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

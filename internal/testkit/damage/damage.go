// Package damage corrupts the files of containers, so that tests can check how they are read. It
// flips bits and truncates files. Opening such a file must report an error.
package damage

import (
	"io"
	"os"
	"testing"
)

// FlipBits flips one bit of a file at a time, in steps of the given number of bits, and expects an
// error from open each time. It restores the file afterwards.
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

// CutOff truncates a file to a selection of shorter lengths, and expects an error from open each
// time. It restores the file afterwards.
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

// StepOf returns the step with which FlipBits flips a few hundred bits of a file of 200 KiB, and
// fewer under go test -short. With COPPICE_FULL it flips forty times as many bits.
func StepOf() int {
	switch {
	case os.Getenv("COPPICE_FULL") != "":
		return 101
	case testing.Short():
		return 19_001
	}
	return 4001
}

// Closed closes a container that was opened from a damaged file.
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

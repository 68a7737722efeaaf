// Package damage tests that containers reject damaged files. It flips bits of a file, or truncates
// the file, and checks that opening it reports an error.
package damage

import (
	"io"
	"os"
	"testing"
)

// FlipBits flips one bit of a file at a time and expects an error from open. The flipped bits are
// step bits apart. The file is restored afterwards.
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

// CutOff truncates a file to several lengths and expects an error from open each time. The file is
// restored afterwards.
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

// StepOf returns a step with which FlipBits flips a few hundred bits of a 200 KiB file. Under go
// test -short it flips fewer bits, and with COPPICE_FULL forty times as many.
func StepOf() int {
	switch {
	case os.Getenv("COPPICE_FULL") != "":
		return 101
	case testing.Short():
		return 19_001
	}
	return 4001
}

// Closed closes c unless err is not nil, and returns err. Its arguments are the results of opening
// a damaged file.
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

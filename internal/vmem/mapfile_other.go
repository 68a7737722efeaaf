//go:build !unix || race || !(amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64 || s390x)

package vmem

// mapsFiles reports whether MapFile works on this platform.
const mapsFiles = false

func (mapping) mapFile(_, _, _ uintptr) error { return ErrNoMapping }

func (mapping) mapPrivate(uintptr, int64, uintptr) error { return ErrNoMapping }

func (mapping) file(uintptr) []byte { return nil }

// Package other puts values with functions of another package only.
package other

import (
	"bytes"

	"github.com/coppice-go/coppice/cmd/vet/useafterput/testdata/src/bufpool"
)

func used() string {
	b := bufpool.Get()
	bufpool.Put(b)
	return b.String() // want `this value is used after Put in line 12 gave it to the pool`
}

func returned() []byte {
	b := bufpool.Get()
	defer bufpool.Put(b)
	b.WriteString("ash")
	return b.Bytes() // want `this \[\]byte is returned, and it is memory of what the deferred Put in line 18 gives to the pool`
}

func throughHelper() int {
	b := bufpool.Get()
	done(b)
	return b.Len() // want `used after done`
}

func done(b *bytes.Buffer) { bufpool.Put(b) }

func copied() string {
	b := bufpool.Get()
	defer bufpool.Put(b)
	b.WriteString("ash")
	return b.String()
}

func swapped(w *bufpool.Writer, b *bytes.Buffer) int {
	w.Swap(b)
	return b.Len()
}

func closed(w *bufpool.Writer, b *bytes.Buffer) int {
	w.Close()
	return b.Len()
}

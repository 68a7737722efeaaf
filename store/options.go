package store

import (
	"errors"
	"fmt"
	"math"
	"reflect"

	"github.com/coppice-go/coppice/internal/fixed"
	"github.com/coppice-go/coppice/internal/vmem"
)

// MaxRecords is the maximum number of records in a Store: one less than the number of non-nil refs.
const MaxRecords = math.MaxUint32 - 1

// ErrFull is wrapped by all errors that report that a Store has no room for a record. Either the
// Store holds Options.Max records, or the system has no more memory.
var ErrFull = errors.New("the store is full")

// HugePages controls whether a Store requests 2 MiB pages from the system. All packages share this
// type. With huge pages, fresh memory costs a quarter to a third as much time, but up to 2 MiB are
// wasted.
type HugePages = vmem.HugePages

// The values of HugePages. Systems without huge pages ignore them.
const (
	HugePagesAuto = vmem.HugeAuto // from 16 MiB on
	HugePagesOn   = vmem.HugeOn   // from the first page on
	HugePagesOff  = vmem.HugeOff  // never
)

// Options controls how a Store allocates memory. The zero Options is a good default.
type Options struct {
	// Max is the maximum number of records. It costs address space, but no memory. 0 means as many
	// records as fit into 1/4096 of the free address space, up to MaxRecords: 32 GiB of records in
	// the first store of a 64-bit process, and 1 GiB after ten thousand stores. Where stores use Go
	// memory (32-bit, wasm, -race), 0 means 16 MiB of records, and a store is limited to 1 GiB (256
	// MiB on 32-bit).
	Max int

	// HugePages states whether to use huge pages.
	HugePages HugePages

	// Name identifies the store in Totals and profiles; "" means the name of T.
	Name string
}

// validate returns an error if the options are invalid. The error message begins with the caller's
// name, which is passed in where.
func (o Options) validate(where string) error {
	switch {
	case o.Max < 0:
		return fmt.Errorf("%s: negative Max %d; use 0 for the default", where, o.Max)
	case uint64(o.Max) > MaxRecords:
		return fmt.Errorf("%s: Max %d exceeds the %d records that refs of 32 bits can name", where, o.Max, uint32(MaxRecords))
	case o.HugePages < HugePagesAuto || o.HugePages > HugePagesOff:
		return fmt.Errorf("%s: invalid HugePages %d: must be HugePagesAuto, HugePagesOn or HugePagesOff", where, o.HugePages)
	}
	return nil
}

// checkRecord returns an error if values of the given type cannot be records. The error message
// begins with the caller's name, which is passed in where.
func checkRecord(where string, t reflect.Type) error {
	if t.Size() == 0 {
		return fmt.Errorf("%s: %s has no size, so there is nothing to store; count such values instead", where, t)
	}
	return fixed.Check(where, t, fixed.Advice{
		String:  "use a store.Text, or an array of bytes",
		Pointer: "use a store.Ref",
		Slice:   "use an array, or a store.Ref and a count for records from Make",
		Other:   "keep such values in a slice of your own and their index in the record",
	})
}

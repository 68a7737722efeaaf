package vmem

import (
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"runtime"
)

// WriteProfile writes a profile of the open accounts for go tool pprof. For each call stack, the
// profile contains the number of regions, and their reserved and committed bytes. It is encoded
// here, because the runtime's own profiles have only one value per stack.
func WriteProfile(w io.Writer) error {
	zipped := gzip.NewWriter(w)
	if _, err := zipped.Write(encode(Accounts())); err != nil {
		return fmt.Errorf("writing the profile: %w", err)
	}
	if err := zipped.Close(); err != nil {
		return fmt.Errorf("writing the profile: %w", err)
	}
	return nil
}

// Field numbers of profile.proto, from the pprof project.
const (
	profileSampleType = 1
	profileSample     = 2
	profileLocation   = 4
	profileFunction   = 5
	profileStrings    = 6
	profileDefault    = 14

	valueTypeType = 1
	valueTypeUnit = 2

	sampleLocation = 1
	sampleValue    = 2
	sampleLabel    = 3

	labelKey = 1
	labelStr = 2

	locationID      = 1
	locationAddress = 3
	locationLine    = 4

	lineFunction = 1
	lineLine     = 2

	functionID       = 1
	functionName     = 2
	functionSystem   = 3
	functionFilename = 4
)

// encode encodes the accounts in pprof format, uncompressed.
func encode(accounts []Account) []byte {
	p := profileBuilder{strings: map[string]uint64{"": 0}, list: []string{""}}
	for _, t := range [][2]string{{"regions", "count"}, {"reserved_space", "bytes"}, {"inuse_space", "bytes"}} {
		var v message
		v.number(valueTypeType, p.text(t[0]))
		v.number(valueTypeUnit, p.text(t[1]))
		p.out.bytes(profileSampleType, v)
	}
	for _, a := range accounts {
		var label message
		label.number(labelKey, p.text("store"))
		label.number(labelStr, p.text(a.Name))
		var sample message
		sample.numbers(sampleLocation, p.locations(a.Stack))
		sample.numbers(sampleValue, []uint64{uint64(a.Regions), a.Reserved, a.Committed})
		sample.bytes(sampleLabel, label)
		p.out.bytes(profileSample, sample)
	}
	p.out.number(profileDefault, p.text("inuse_space"))
	for _, s := range p.list {
		p.out.bytes(profileStrings, message(s))
	}
	return p.out
}

// A profileBuilder encodes a profile. It assigns numbers to the strings, locations and functions
// that the profile refers to.
type profileBuilder struct {
	out     message
	strings map[string]uint64
	list    []string
	nextID  uint64
}

func (p *profileBuilder) text(s string) uint64 {
	i, ok := p.strings[s]
	if !ok {
		i = uint64(len(p.list))
		p.strings[s] = i
		p.list = append(p.list, s)
	}
	return i
}

// locations encodes a location and a function for each call on the stack, and returns the numbers
// of the locations.
func (p *profileBuilder) locations(stack []uintptr) (ids []uint64) {
	frames := runtime.CallersFrames(stack)
	for more := len(stack) > 0; more; {
		var f runtime.Frame
		f, more = frames.Next()
		p.nextID++
		ids = append(ids, p.nextID)

		var function message
		function.number(functionID, p.nextID)
		function.number(functionName, p.text(f.Function))
		function.number(functionSystem, p.text(f.Function))
		function.number(functionFilename, p.text(f.File))
		p.out.bytes(profileFunction, function)

		var line, location message
		line.number(lineFunction, p.nextID)
		line.number(lineLine, uint64(f.Line))
		location.number(locationID, p.nextID)
		location.number(locationAddress, uint64(f.PC))
		location.bytes(locationLine, line)
		p.out.bytes(profileLocation, location)
	}
	return ids
}

// A message is a protocol buffer message under construction.
type message []byte

func (m *message) number(field int, v uint64) {
	*m = binary.AppendUvarint(*m, uint64(field)<<3)
	*m = binary.AppendUvarint(*m, v)
}

func (m *message) bytes(field int, v message) {
	*m = binary.AppendUvarint(*m, uint64(field)<<3|2)
	*m = binary.AppendUvarint(*m, uint64(len(v)))
	*m = append(*m, v...)
}

func (m *message) numbers(field int, vs []uint64) {
	var packed message
	for _, v := range vs {
		packed = binary.AppendUvarint(packed, v)
	}
	m.bytes(field, packed)
}

package flat_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/flat"
)

// A file is a decoded tree file. Tests modify it to create damaged files.
type file struct {
	Start  []byte // 64 bytes
	Schema []byte // padded to whole words
	Words  []uint32
	Ends   []uint32
	Text   []byte
}

// These constants are the offsets of the header fields in Start.
const (
	atFormat, atVersion, atHash, atSchema, atRoot, atWords, atNodes, atStrings, atText, atReserved = 8, 12, 16, 24, 28, 32, 36, 40, 44, 48
)

func (f *file) get(at int) uint32    { return binary.LittleEndian.Uint32(f.Start[at:]) }
func (f *file) put(at int, v uint32) { binary.LittleEndian.PutUint32(f.Start[at:], v) }

func takeApart(data []byte) *file {
	data = bytes.Clone(data)
	f := &file{Start: data[:64]}
	rest := data[64:]
	cut := func(n uint32) (part []byte) {
		part, rest = rest[:n:n], rest[n:]
		return part
	}
	f.Schema = cut((f.get(atSchema) + 3) &^ 3)
	for part := cut(4 * f.get(atWords)); len(part) > 0; part = part[4:] {
		f.Words = append(f.Words, binary.LittleEndian.Uint32(part))
	}
	for part := cut(4 * f.get(atStrings)); len(part) > 0; part = part[4:] {
		f.Ends = append(f.Ends, binary.LittleEndian.Uint32(part))
	}
	f.Text = rest
	return f
}

// bytes encodes the file again. It does not update the header.
func (f *file) bytes() []byte {
	data := slices.Concat(f.Start, f.Schema)
	for _, w := range slices.Concat(f.Words, f.Ends) {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	return append(data, f.Text...)
}

// add appends a record, and updates the counts in the header.
func (f *file) add(words ...uint32) {
	f.Words = append(f.Words, words...)
	f.put(atWords, uint32(len(f.Words)))
	f.put(atNodes, f.get(atNodes)+1)
}

// A broken describes an invalid file: the valid file that it is made from, the change, and the
// error that Load must return.
type broken struct {
	base   string
	change func(*file)
	want   string
}

// brokenHeaders contains files with an invalid header or schema. The file expr-call consists of
// these words: 1 Var, 3 Var, 5 Bin(1, 3), 8 Var, 10 Num, 13 Bin(8, 10), 16 Bin(5, 13), 19 Var,
// 21 Call(), 24 Call(16, nil, 21).
var brokenHeaders = map[string]broken{
	"expr-magic":      {"expr-call", func(f *file) { f.Start[0] = 'F' }, "does not start with the magic"},
	"expr-newlines":   {"expr-call", func(f *file) { f.Start[5] = '\n' }, "does not start with the magic"},
	"expr-format":     {"expr-call", func(f *file) { f.put(atFormat, 2) }, "format 2; this program reads 1"},
	"expr-version":    {"expr-call", func(f *file) { f.put(atVersion, 7) }, "version 7 in the header, 0 in the schema's text"},
	"expr-hash":       {"expr-call", func(f *file) { f.put(atHash, 1) }, "the layout hash is not that of the schema's text"},
	"expr-schema":     {"expr-call", func(f *file) { f.Schema[len("flat 1\nroot ")] = 'F' }, "the layout hash is not that of the schema's text"},
	"expr-other":      {"forty-two", func(*file) {}, "it has another schema"},
	"expr-filler":     {"expr-call", func(f *file) { f.Schema[len(f.Schema)-1] = 1 }, "the bytes after the schema's text are not 0"},
	"expr-hugeschema": {"expr-call", func(f *file) { f.put(atSchema, 1<<31) }, "a schema's text of 2147483648 bytes, more than"},
	"expr-reserved":   {"expr-call", func(f *file) { f.put(atReserved+8, 1) }, "reserved bytes of the header are not 0"},
	"expr-nowords":    {"expr-call", func(f *file) { f.put(atWords, 0) }, "no word 0 or no string 0"},
	"expr-nostrings":  {"expr-call", func(f *file) { f.put(atStrings, 0) }, "no word 0 or no string 0"},
	"expr-hugewords":  {"expr-call", func(f *file) { f.put(atWords, 1<<32-1) }, "bytes, and the header says 17179"},
	"expr-hugetext":   {"expr-call", func(f *file) { f.put(atText, 1<<32-1) }, "bytes, and the header says 4294967"},
	"expr-longer":     {"expr-call", func(f *file) { f.Text = append(f.Text, 0) }, "bytes, and the header says"},
	"expr-nodes":      {"expr-call", func(f *file) { f.put(atNodes, 11) }, "10 records, and the header says 11"},
	"expr-fewnodes":   {"expr-call", func(f *file) { f.put(atNodes, 0) }, "10 records, and the header says 0"},
	"expr-root":       {"expr-call", func(f *file) { f.put(atRoot, 2) }, "the root is 2, where no record starts"},
	"expr-rootbeyond": {"expr-call", func(f *file) { f.put(atRoot, 1<<32-1) }, "the root is 4294967295, where no record starts"},
	"expr-rootchild":  {"expr-call", func(f *file) { f.put(atRoot, 16) }, "the root, record #16, has a parent"},
	"expr-word0":      {"expr-call", func(f *file) { f.Words[0] = 1 }, "word 0 is 0x1, want 0"},
	"expr-string0":    {"expr-call", func(f *file) { f.Ends[0] = 1 }, "string 0 ends at 1, want 0"},
	"expr-ends":       {"expr-call", func(f *file) { f.Ends[2] = 0 }, "string 2 ends at 0, before string 1 does"},
	"expr-endsbeyond": {"expr-call", func(f *file) { f.Ends[len(f.Ends)-1]++ }, "the last string ends at 27, and the text at 26"},
	"version1-newer":  {"version1-box", newer, "version 3; this program reads up to 2: build it with the newer schema"},
	"version1-ofno":   {"version1-box", func(f *file) { f.put(atVersion, 2) }, "version 2 in the header, 1 in the schema's text"},
	"dag-share":       {"dag-dag", func(f *file) { f.put(atRoot, 0); f.add(9) }, "there is no kind 9"},
	"dag-rootnowher":  {"dag-dag", func(f *file) { f.put(atRoot, 4) }, "the root is 4, where no record starts"},
}

// newer changes the schema of a file to version 3, which does not exist.
func newer(f *file) {
	text := bytes.Replace(f.Schema, []byte("version 1"), []byte("version 3"), 1)[:f.get(atSchema)]
	hash := fnv.New64a()
	hash.Write(text)
	f.put(atVersion, 3)
	binary.LittleEndian.PutUint64(f.Start[atHash:], hash.Sum64())
	copy(f.Schema, text)
}

// brokenRecords contains files with invalid records.
var brokenRecords = map[string]broken{
	"expr-kind0":      {"expr-call", func(f *file) { f.Words[1] = 0 }, "record #1: there is no kind 0"},
	"expr-kind5":      {"expr-call", func(f *file) { f.Words[1] = 5 }, "record #1: there is no kind 5"},
	"expr-header":     {"expr-call", func(f *file) { f.Words[10] |= 1 << 31 }, "record #10 (Num): its header is 0x80000001; the bits 0x80000000 must be 0"},
	"expr-headerbin":  {"expr-call", func(f *file) { f.Words[5] |= 1 << 16 }, "record #5 (Bin): its header is"},
	"expr-fixed":      {"expr-one", func(f *file) { f.add(3) }, "record #4 (Bin): it needs 3 words, and 1 are left"},
	"expr-self":       {"expr-call", func(f *file) { f.Words[17] = 16 }, "record #16 (Bin): word 17 refers to 16, where no earlier record starts"},
	"expr-forward":    {"expr-call", func(f *file) { f.Words[6] = 8 }, "record #5 (Bin): word 6 refers to 8, where no earlier record starts"},
	"expr-cycle":      {"expr-call", func(f *file) { f.Words[6] = 24 }, "record #5 (Bin): word 6 refers to 24, where no earlier record starts"},
	"expr-middle":     {"expr-call", func(f *file) { f.Words[17] = 6 }, "record #16 (Bin): word 17 refers to 6, where no earlier record starts"},
	"expr-overlap":    {"expr-call", func(f *file) { f.Words[17] = 11 }, "record #16 (Bin): word 17 refers to 11, where no earlier record starts"},
	"expr-beyond":     {"expr-call", func(f *file) { f.Words[17] = 1 << 31 }, "record #16 (Bin): word 17 refers to 2147483648, where no earlier record starts"},
	"expr-shared":     {"expr-call", func(f *file) { f.Words[18] = 5 }, "record #16 (Bin): word 18 refers to record #5, which has a parent already"},
	"expr-sharedlist": {"expr-call", func(f *file) { f.Words[28] = 16 }, "record #24 (Call): word 28 refers to record #16, which has a parent already"},
	"expr-string":     {"expr-call", func(f *file) { f.Words[2] = 8 }, "record #1 (Var): word 2 mentions string 8 of 8"},
	"expr-optional":   {"expr-call", func(f *file) { f.Words[23] = 1 << 20 }, "record #21 (Call): word 23 mentions string 1048576 of 8"},
	"expr-count":      {"expr-call", func(f *file) { f.Words[24] += 1 << 8 }, "record #24 (Call): 4 items need 4 words, and 3 are left"},
	"expr-hugecount":  {"expr-call", func(f *file) { f.Words[24] = 4 | 0xfffffe<<8 }, "record #24 (Call): 16777214 items need"},
	"expr-escape":     {"expr-call", func(f *file) { f.Words[24] |= 0xffffff << 8 }, "record #24 (Call): the count 16 would fit in the header"},
	"expr-escapeend":  {"expr-one", func(f *file) { f.add(4|0xffffff<<8, 0, 0) }, "record #4 (Call): its count is beyond the end"},
	"expr-escapehuge": {"expr-one", func(f *file) { f.add(4|0xffffff<<8, 0, 0, 1<<32-1) }, "record #4 (Call): 4294967295 items need 4294967295 words, and 0 are left"},

	"every-sum":      {"every-links", func(f *file) { f.add(6, 0, f.get(atRoot), 0, 0, 0, 0, 0) }, "refers to a Links, which is not allowed there"},
	"every-variant":  {"every-links", func(f *file) { f.add(6, 0, 0, f.get(atRoot), 0, 0, 0, 0) }, "refers to a Links, which is not allowed there"},
	"version1-root":  {"version1-box", func(f *file) { f.put(atRoot, 1) }, "the root is a Text, which is not allowed"},
	"every-small":    {"every-null", func(f *file) { f.add(10, 1<<31, 0, 0) }, "record #2 (Full): word 3 is 0x80000000; the bits 0x80000000 must be 0"},
	"every-absent":   {"every-null", func(f *file) { f.add(4, 0, 1, 0, 0, 0, 0, 0, 0, 0) }, "has the value of a field that is absent"},
	"every-absent64": {"every-null", func(f *file) { f.add(4, 0, 0, 0, 0, 1, 0, 0, 0, 0) }, "has the value of a field that is absent"},
	"every-absent8":  {"every-null", func(f *file) { f.add(4|1<<12, 0, 0, 0, 0, 0, 0, 0, 0, 0) }, "has the value of a field that is absent"},
	"every-bools":    {"every-null", func(f *file) { f.add(arrays(0, 2)...) }, "the bits 0x2 must be 0"},
	"every-lastbool": {"every-null", func(f *file) { f.add(arrays(2, 1<<8)...) }, "the bits 0x100 must be 0"},
	"every-bytes":    {"every-null", func(f *file) { f.add(full(1, 0, 2, 1<<16)...) }, "no earlier record starts"},
	"every-packed":   {"every-null", func(f *file) { f.add(full(0, 1, 1<<16)...) }, "the bits 0x10000 must be 0"},
	"narrow-item":    {"narrow-extremes", func(f *file) { f.add(4|1<<8, 0, 0, 0, 0, 1<<24) }, "is 0x1000000; the bits 0x1000000 must be 0"},
	"narrow-signed":  {"narrow-extremes", func(f *file) { f.add(4, 1, 0, 0, 0, 1<<32-1) }, "is 0xffffffff; the bits 0xff000000 must be 0"},
	"narrow-array":   {"narrow-extremes", func(f *file) { f.add(5, 1<<24, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) }, "is 0x1000000; the bits 0x1000000 must be 0"},
	"narrow-absent":  {"narrow-extremes", func(f *file) { f.add(3, 1, 0) }, "has the value of a field that is absent"},
	"links-beyond":   {"links-scopes", func(f *file) { f.add(3, 1<<31) }, "links to 2147483648, where no record starts"},
	"links-middle":   {"links-scopes", func(f *file) { f.add(3, 2) }, "links to 2, where no record starts"},
	"links-kind":     {"links-scopes", func(f *file) { f.add(3, f.get(atRoot)) }, "links to a Scope, which is not allowed there"},
	"links-forward":  {"links-scopes", func(f *file) { n := uint32(len(f.Words)); f.add(3, n+3); f.add(3, 0) }, "where no record starts"},
	"links-listed":   {"links-scopes", func(f *file) { f.add(4|1<<8, 0, 0, 0, 0, 1) }, "links to a Var, which is not allowed there"},
	"ast-way":        {"ast-file", func(f *file) { f.add(8, 0, 1, 0) }, "says that a list is 0 words on, and it is 1"},
	"ast-waybehind":  {"ast-file", func(f *file) { f.add(8, 0, 1, 2, 0, 0) }, "says that a list is 2 words on, and it is 1"},
	"ast-nested":     {"ast-file", func(f *file) { f.add(8, 0, 1<<32-1, 1) }, "4294967295 items need 4294967295 words, and 0 are left"},
	"web2-marks":     {"web2-links", func(f *file) { f.add(emptyWeb(11, 1<<32-1)...) }, "4294967295 items need 21474836475 words, and 0 are left"},
	"web2-spots":     {"web2-links", func(f *file) { f.add(emptyWeb(1, 1<<32/12+1)...) }, "357913942 items need 4294967304 words, and 0 are left"},
	"web2-way":       {"web2-links", func(f *file) { f.add(emptyWeb(16, 1<<32-16)...) }, "says that a list is 4294967280 words on, and it is 3"},
	"web2-middle":    {"web2-links", func(f *file) { f.add(emptyWeb(13, f.get(atRoot)+1)...) }, ", where no record starts"},
	"web2-size":      {"web2-links", func(f *file) { f.add(emptyWeb(5, 2)...) }, "has the value of a field that is absent"},
	"web2-bits":      {"web2-links", func(f *file) { f.add(2|1<<16, 0, 0, 0) }, "the bits 0x10000 must be 0"},
	"ast-width":      {"ast-file", func(f *file) { f.add(9|1<<31, 0) }, "the bits 0x80000000 must be 0"},
	"every-hugelist": {"every-null", func(f *file) { f.add(full(1<<32-1, 0)...) }, "4294967295 items need 4294967295 words, and 0 are left"},
}

// arrays returns an Arrays record of zeros, in which one word of the fixed-size part is set to v.
func arrays(word int, v uint32) []uint32 {
	words := make([]uint32, 76)
	words[0] = 8
	words[1+word] = v
	return words
}

// full returns a Full record with the lengths of its two lists, followed by the words in rest.
func full(nodes, others uint32, rest ...uint32) []uint32 {
	return append([]uint32{10, 0, nodes, others}, rest...)
}

// emptyWeb returns an empty Web record of the schema web2, in which one word is set to v.
func emptyWeb(word int, v uint32) []uint32 {
	w := []uint32{1, 0, 0, 0, 0, 0, 0, 0, 11, 0, 9, 0, 7, 0, 0, 0, 3, 0, 0}
	w[word] = v
	return w
}

func TestInvalidVectorsAreRefused(t *testing.T) {
	bases := valid()
	all := maps.Clone(brokenHeaders)
	maps.Copy(all, brokenRecords)
	for name, b := range all {
		f := takeApart(bases[b.base])
		b.change(f)
		data := f.bytes()
		_, err := formatOf(name).load(data, flat.LoadLimits{})
		if !errors.Is(err, flat.ErrInvalid) || !strings.Contains(err.Error(), b.want) {
			t.Errorf("%s: %v, want %q", name, err, b.want)
			continue
		}
		path := filepath.Join(vectorsDir, "invalid", name)
		keep(t, path+".flat", data)
		keep(t, path+".txt", []byte(err.Error()+"\n"))
	}
	files := must(filepath.Glob(filepath.Join(vectorsDir, "invalid", "*.flat")))
	if len(files) != len(all) {
		t.Errorf("%d invalid files, want %d; go test ./flat -run Vectors -update", len(files), len(all))
	}
}

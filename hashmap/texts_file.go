package hashmap

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/coppice-go/coppice/internal/image"
	"github.com/coppice-go/coppice/internal/vmem"
)

// The image of one or more textMaps consists of the image of their indexes, followed by a section
// with the values of each textMap. In the header, the numbers of the indexes are followed by two
// byte counts for each value heap: the used bytes and the dead bytes.
const (
	textsKind    = "hashmap.texts"
	textsVersion = 1

	valueNumbers = 2
)

// Save writes the Texts to a file, from which OpenTextsFile maps it, and replaces the file as
// Map.Save does.
func (t *Texts[K, V]) Save(path string) error {
	const where = "hashmap.Texts.Save"
	t.m.use(where)
	if err := saveTexts[K](path, []*textMap{t.m}); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	return nil
}

// saveTexts writes an image of the textMaps to a file. The textMaps must not change in the
// meantime.
func saveTexts[K comparable](path string, maps []*textMap) error {
	h := image.Header{Kind: textsKind, Version: textsVersion, Shape: image.ShapeOf[K, string]()}
	sections := make([][][]byte, 0, (sectionsOfMap+1)*len(maps))
	values := make([][][]byte, 0, len(maps))
	var heaps []byte
	for _, m := range maps {
		h.Meta = m.index.appendNumbers(h.Meta)
		sections = append(sections, m.index.sections()...)
		values = append(values, [][]byte{m.values.Contents()})
		heaps = binary.LittleEndian.AppendUint64(heaps, m.values.Used())
		heaps = binary.LittleEndian.AppendUint64(heaps, m.values.Dead())
	}
	h.Meta = append(h.Meta, heaps...)
	return image.SaveParts(path, h, append(sections, values...)...)
}

// OpenTextsFile returns a Texts with the entries of a file that Save wrote. It maps the file as
// OpenFile does. It has the same requirements as OpenFile, and returns the same errors. A file
// whose values are strings can be opened with byte slices as values, and vice versa.
func OpenTextsFile[K comparable, V ~string | ~[]byte](path string, options Options) (*Texts[K, V], error) {
	const where = "hashmap.OpenTextsFile"
	form, err := formOf[K, V](where)
	if err != nil {
		return nil, err
	}
	maps, err := openTexts[K](where, path, form.named("Texts", options), form.isKey)
	if err == nil && len(maps) != 1 {
		err = closedTexts(maps, fmt.Errorf("%s: %w: it holds a ShardedTexts with %d shards; open it with OpenShardedTextsFile", path, ErrMismatch, len(maps)))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	return &Texts[K, V]{textForm: form, m: maps[0]}, nil
}

// ofTexts returns the options for a single shard, with its share of Max. shards is the number of
// shards.
func (o Options) ofTexts(shards int) Options {
	o = o.ofShard(shards)
	o.watched = false // readers take the lock
	return o
}

// openTexts returns the textMaps of a file, at least one.
func openTexts[K comparable](where, path string, o Options, isKey func(string) bool) (maps []*textMap, err error) {
	if _, err := plan[string, uint32](where, o, 0); err != nil {
		return nil, err
	}
	f, err := image.Open(path, textsKind, textsVersion, image.ShapeOf[K, string]())
	if err != nil {
		return nil, err
	}
	defer f.Close()
	n := len(f.Sections()) / (sectionsOfMap + 1)
	if n == 0 || n > maxShards || n&(n-1) != 0 || len(f.Sections())%(sectionsOfMap+1) != 0 || len(f.Meta()) != 8*n*(metaNumbers+valueNumbers) {
		return nil, fmt.Errorf("%s: %w: %d bytes of numbers and %d sections", path, ErrInvalid, len(f.Meta()), len(f.Sections()))
	}
	if n > 1 && o.Max > 0 {
		o = o.ofTexts(n)
	}
	all := numbersOf(f.Meta(), n)
	for i := range n {
		var m *textMap
		if m, err = openTextPart(where, f, all, i, o, isKey); err != nil {
			break
		}
		maps = append(maps, m)
		if m.index.seed != maps[0].index.seed {
			err = fmt.Errorf("%w: its shards have different hashes", ErrInvalid)
			break
		}
	}
	if err == nil && o.Verify {
		err = f.VerifySections()
	}
	if err != nil {
		return nil, closedTexts(maps, fmt.Errorf("%s: %w", path, err))
	}
	return maps, nil
}

// closedTexts closes the textMaps and returns err. It is called when opening a file has failed.
func closedTexts(maps []*textMap, err error) error {
	for _, m := range maps {
		err = errors.Join(err, m.close())
	}
	return err
}

// openTextPart returns textMap i of an image. all contains the numbers of all indexes of the image.
func openTextPart(where string, f *image.File, all []numbers, i int, o Options, isKey func(string) bool) (*textMap, error) {
	n := len(all)
	heap := f.Meta()[8*(metaNumbers*n+valueNumbers*i):]
	used, dead := binary.LittleEndian.Uint64(heap), binary.LittleEndian.Uint64(heap[8:])
	section := sectionsOfMap*n + i
	if size := f.Sections()[section]; uint64(size) != used {
		return nil, fmt.Errorf("%w: the section of values has %d bytes instead of the recorded %d", ErrInvalid, size, used)
	}
	index, err := openPart[string, uint32](where, f, all, i, o, 4)
	if err != nil {
		return nil, err
	}
	m := textMapOf(index)
	err = m.values.Load(used, dead, func(r *vmem.Region) error { return f.Load(section, r) })
	if err == nil && (o.Verify || index.verified) {
		index.verified = true
		err = m.verify(where, uint64(i), n, isKey)
	}
	if err != nil {
		return nil, errors.Join(err, m.close())
	}
	return m, nil
}

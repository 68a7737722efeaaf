package symbols

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/damage"
)

// A damaged file is either rejected with the correct error or opened; most of the damaged files
// have correct checksums. If it is opened, every operation on the table terminates. If the table
// was verified, each symbol, old or new, has a unique string, and Lookup of that string finds the
// symbol.
func TestMutatedFiles(t *testing.T) {
	var sound []string
	counts := []int{0, 1, 40, 700, 5000}
	sound = slices.Grow(sound, len(counts))
	for _, n := range counts {
		path := filepath.Join(t.TempDir(), "table")
		check(t, filled(t, n).Save(path))
		sound = append(sound, path)
	}
	damage.Mutate(t, damage.Format{Sound: sound, Seal: damage.SealImage, Try: func(file damage.Mutant) error {
		use(t, file.Path)
		table, err := OpenFile(file.Path, Options{Max: 10_000, Verify: true})
		switch {
		case errors.Is(err, ErrInvalid), errors.Is(err, ErrMismatch), errors.Is(err, ErrFull) && file.Sealed:
			return nil
		case err != nil:
			return fmt.Errorf("refused with another error: %w", err)
		}
		defer table.Close()
		if !file.Sealed && table.Len() != counts[file.Origin] {
			return fmt.Errorf("the sums are right, and %d symbols are %d", counts[file.Origin], table.Len())
		}
		return behaves(table, file)
	}})
}

// behaves checks all symbols of a verified table, adds new ones, and checks again.
func behaves(table *Table, file damage.Mutant) error {
	for range 2 {
		seen := make(map[string]Symbol)
		for s, text := range table.All() {
			if before, ok := seen[text]; ok {
				return fmt.Errorf("symbols %d and %d are %q", before, s, text)
			}
			if found, ok := table.Lookup(text); !ok || found != s {
				return fmt.Errorf("symbol %d is %q, and that is %d, %t", s, text, found, ok)
			}
			if !file.Sealed && int(s) <= table.Len()-300 && text != name(int(s)-1) {
				return fmt.Errorf("the sums are right, and symbol %d is %q", s, text)
			}
			seen[text] = s
		}
		if len(seen) != table.Len() {
			return fmt.Errorf("%d symbols, and Len is %d", len(seen), table.Len())
		}
		for i := range 300 {
			if _, err := table.TryIntern(fmt.Sprint("another ", i)); errors.Is(err, ErrFull) {
				break
			} else if err != nil {
				return err
			}
		}
	}
	return table.Verify()
}

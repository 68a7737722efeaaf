package driver

// A Sum is a hash (FNV-1a) of the values that a traversal visits, in the order of the traversal.
type Sum uint64

// NewSum returns the sum of an empty traversal.
func NewSum() Sum { return 14695981039346656037 }

// Number adds a number.
func (s *Sum) Number(n int) {
	for v := uint64(n); ; v >>= 8 {
		*s = (*s ^ Sum(byte(v))) * 1099511628211
		if v < 256 {
			return
		}
	}
}

// Text adds a string and its length.
func (s *Sum) Text(text string) {
	for i := range len(text) {
		*s = (*s ^ Sum(text[i])) * 1099511628211
	}
	s.Number(len(text))
}

package flatlayout

import "strconv"

// MaxWidth is the maximum number of bits that the tag flat:"bits=N" can request. 32 bits and more
// are whole words.
const MaxWidth = 31

// firstWidth is the base of the first row in widths.
const firstWidth = Link + 1

// widths contains the types that the tag flat:"bits=N" can declare. Rows 2N and 2N+1 are unsigned
// and signed N-bit integers.
var widths = makeWidths()

func makeWidths() (rows [2 * (MaxWidth + 1)]BaseType) {
	for bits := 1; bits <= MaxWidth; bits++ {
		name := strconv.Itoa(bits)
		rows[2*bits] = BaseType{"uint" + name, "", "uint32", "std::uint32_t", Unsigned, bits, 32}
		rows[2*bits+1] = BaseType{"int" + name, "", "int32", "std::int32_t", Signed, bits, 32}
	}
	return rows
}

// OfWidth returns the base of numbers with the given number of bits, from 1 to MaxWidth.
func OfWidth(bits int, signed bool) Base {
	b := firstWidth + 2*Base(bits)
	if signed {
		b++
	}
	return b
}

package hash_test

import (
	"fmt"
	"math"
	"math/bits"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/hash"
	"github.com/coppice-go/coppice/internal/testkit/random"
	"pgregory.net/rapid"
)

// of returns the hash function for the type K with the given seed.
func of[K comparable](t *testing.T, seed uint64) *hash.Func[K] {
	t.Helper()
	f, err := hash.For[K]("test", seed)
	if err != nil {
		t.Fatal(err)
	}
	return &f
}

// every applies change with each i below n to a zero key, and verifies that all resulting keys have
// different hashes.
func every[K comparable](t *testing.T, change func(k *K, i int), n int) {
	t.Helper()
	f := of[K](t, 1)
	seen := map[uint64]int{}
	for i := range n {
		var k K
		change(&k, i)
		h := f.Hash(k)
		if before, ok := seen[h]; ok {
			t.Errorf("%T: changes %d and %d have one hash", k, before, i)
		}
		seen[h] = i
	}
}

func TestEverySize(t *testing.T) {
	every(t, func(k *uint8, i int) { *k = uint8(i) }, 256)
	every(t, func(k *int16, i int) { *k = int16(i) }, 1000)
	every(t, func(k *uint32, i int) { *k = uint32(i) << 12 }, 1000)
	every(t, func(k *int, i int) { *k = i << 20 }, 1000)
	every(t, func(k *[3]byte, i int) { k[i%3] = byte(1 + i/3) }, 300)
	every(t, func(k *[5]byte, i int) { k[i%5] = byte(1 + i/5) }, 300)
	every(t, func(k *[7]byte, i int) { k[i%7] = byte(1 + i/7) }, 300)
	every(t, func(k *[12]byte, i int) { k[i%12] = byte(1 + i/12) }, 300)
	every(t, func(k *[16]byte, i int) { k[i%16] = byte(1 + i/16) }, 300)
	every(t, func(k *[17]byte, i int) { k[i%17] = byte(1 + i/17) }, 300)
	every(t, func(k *[23]byte, i int) { k[i%23] = byte(1 + i/23) }, 300)
	every(t, func(k *[25]byte, i int) { k[i%25] = byte(1 + i/25) }, 300)
	every(t, func(k *[100]byte, i int) { k[i%100] = byte(1 + i/100) }, 900)
}

// Each byte of a string and its length affect the hash. A string and a byte slice with the same
// contents have the same hash.
func TestStringsAndBytes(t *testing.T) {
	s := hash.SecretsOf(7)
	seen := map[uint64]string{}
	add := func(text string) {
		h := s.String(text)
		if h != s.Bytes([]byte(text)) {
			t.Fatalf("%q: a string and its bytes have two hashes", text)
		}
		if before, ok := seen[h]; ok {
			t.Errorf("%q and %q have one hash", before, text)
		}
		seen[h] = text
	}
	for n := range 100 {
		add(strings.Repeat("a", n))
		for i := range n {
			b := []byte(strings.Repeat("a", n))
			b[i] = 'b'
			add(string(b))
		}
	}
}

// Hashes are the same in every process and every version, so that a table that was saved with its
// seed can be read later.
func TestHashesStay(t *testing.T) {
	s := hash.SecretsOf(42)
	for _, c := range []struct {
		text string
		want uint64
	}{{"", stayed[0]}, {"a", stayed[1]}, {"abcdefgh", stayed[2]}, {strings.Repeat("coppice ", 9), stayed[3]}} {
		if got := s.String(c.text); got != c.want {
			t.Errorf("%q: %#x, was %#x", c.text, got, c.want)
		}
	}
	if got := of[uint64](t, 42).Hash(1); got != stayed[4] {
		t.Errorf("1: %#x, was %#x", got, stayed[4])
	}
}

// stayed contains the hashes that TestHashesStay expects. If one of them changes, the format of
// every file with hashes changes.
var stayed = [5]uint64{0x53277f3364789ab6, 0x2d354eb52d6504f6, 0x99a8d9a5fbf8208a, 0xc9a4eb33b042694b, 0x26e0b809f1483ee5}

type name string

func TestStringsOfNamedTypes(t *testing.T) {
	if of[name](t, 3).Hash("coppice") != of[string](t, 3).Hash("coppice") {
		t.Error("a named string has another hash")
	}
	if of[name](t, 3).Hash("coppice") == of[string](t, 4).Hash("coppice") {
		t.Error("the seed does not count")
	}
}

type mixed struct {
	A uint8
	F float64
	_ int32
	B uint16
	C [2]struct {
		X uint8
		Y uint32
	}
	D complex64
}

// Two keys have equal hashes if and only if they are equal by ==. Padding and blank fields do not
// affect the hash.
func TestParts(t *testing.T) {
	f := of[mixed](t, 5)
	random.Check(t, func(t *rapid.T) {
		small := rapid.IntRange(0, 1)
		draw := func() (m mixed) {
			m.A = uint8(small.Draw(t, "A"))
			m.F = []float64{0, math.Copysign(0, -1), 1}[rapid.IntRange(0, 2).Draw(t, "F")]
			m.B = uint16(small.Draw(t, "B"))
			m.C[small.Draw(t, "i")].X = uint8(small.Draw(t, "X"))
			m.C[small.Draw(t, "i")].Y = uint32(small.Draw(t, "Y"))
			m.D = complex(0, float32(small.Draw(t, "D"))*float32(math.Copysign(0, -1)))
			return m
		}
		a, b := draw(), draw()
		if (a == b) != (f.Hash(a) == f.Hash(b)) {
			t.Fatalf("%+v and %+v: equal %v, hashes %#x and %#x", a, b, a == b, f.Hash(a), f.Hash(b))
		}
	})
}

func TestRefused(t *testing.T) {
	type linked struct {
		A int
		B [1]struct{ Next *int }
	}
	_, err := hash.For[linked]("hashmap.New", 1)
	if want := "hashmap.New: hash_test.linked.B[0].Next is a *int, which is not a key of fixed size"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	if _, err := hash.For[[2]string]("f", 1); err == nil {
		t.Error("an array of strings is taken")
	}
	if _, err := hash.For[any]("f", 1); err == nil {
		t.Error("an interface is taken")
	}
	if _, err := hash.For[[1 << 14]struct {
		A uint8
		B uint16
	}]("f", 1); err == nil || !strings.Contains(err.Error(), "without padding") {
		t.Errorf("keys of many parts: %v", err)
	}
}

// Flipping one bit of a key flips each bit of the hash with a probability of about one half.
func TestAvalanche(t *testing.T) {
	const keys = 2000
	check := func(what string, bitsOfKey int, h func(i, flip int) uint64) {
		var flips [64]int
		for i := range keys {
			for b := range bitsOfKey {
				for d := h(i, -1) ^ h(i, b); d != 0; d &= d - 1 {
					flips[bits.TrailingZeros64(d)]++
				}
			}
		}
		for bit, n := range flips {
			if share := float64(n) / float64(keys*bitsOfKey); math.Abs(share-.5) > .03 {
				t.Errorf("%s: bit %d changes in %.3f of cases", what, bit, share)
			}
		}
	}
	f := of[uint64](t, 11)
	check("word", 64, func(i, flip int) uint64 {
		x := uint64(i)
		if flip >= 0 {
			x ^= 1 << flip
		}
		return f.Hash(x)
	})
	for _, n := range []int{3, 12, 40} {
		check(fmt.Sprint("text of ", n), 8*n, func(i, flip int) uint64 {
			b := []byte(fmt.Sprintf("%0*d", n, i))[:n]
			if flip >= 0 {
				b[flip/8] ^= 1 << (flip % 8)
			}
			return f.Bytes(b)
		})
	}
}

// Hashes of equidistant keys are distributed as evenly as random numbers, whichever bits of the
// hash select the bucket.
func TestSpread(t *testing.T) {
	const buckets, keys = 1 << 10, 1 << 16
	for _, step := range []uint64{1, 8, 1 << 12, 1 << 32, 1 << 48, 0x0101010101010101} {
		for seed := range uint64(5) {
			f := of[uint64](t, seed)
			for _, shift := range []int{0, 7, 20, 54} {
				var counts [buckets]float64
				for i := range uint64(keys) {
					counts[f.Hash(i*step)>>shift%buckets]++
				}
				square := 0.0
				for _, n := range counts {
					square += (n - keys/buckets) * (n - keys/buckets) / (keys / buckets)
				}
				if square > buckets+6*math.Sqrt(2*buckets) {
					t.Errorf("step %#x, seed %d, bits from %d: chi square %.0f of %d", step, seed, shift, square, buckets)
				}
			}
		}
	}
}

var sink uint64

func BenchmarkHash(b *testing.B) {
	b.Run("key=uint64", func(b *testing.B) {
		f, _ := hash.For[uint64]("", 1)
		for i := range b.N {
			sink += f.Hash(uint64(i))
		}
	})
	for _, n := range []int{8, 12, 40, 200} {
		b.Run(fmt.Sprintf("key=text%d", n), func(b *testing.B) {
			f, _ := hash.For[string]("", 1)
			text := strings.Repeat("x", n)
			for range b.N {
				sink += f.Hash(text)
			}
		})
	}
}

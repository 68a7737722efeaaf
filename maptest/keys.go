package maptest

import (
	"fmt"
	"math"
	"reflect"
	"strings"
)

// canMake returns an error that explains why the kit cannot generate values of type t, or nil if it
// can.
func canMake(t reflect.Type) error {
	switch t.Kind() {
	case reflect.Array:
		if t.Len() == 0 {
			return nil
		}
		return canMake(t.Elem())
	case reflect.Struct:
		for f := range t.Fields() {
			if !f.IsExported() && f.Name != "_" {
				return fmt.Errorf("%s has the field %s, which the kit cannot set", t, f.Name)
			}
			if err := canMake(f.Type); err != nil {
				return err
			}
		}
		return nil
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return nil
		}
	case reflect.Bool, reflect.String, reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return nil
	}
	return fmt.Errorf("the kit makes no %s", t)
}

// distinct returns the number of different keys of type t that the kit can generate, or 1<<30 if
// there are more.
func distinct(t reflect.Type) int { return 1 << min(bitsOf(t), 30) }

// bitsOf returns the number of bits that fill uses for a value of type t. The result is at most
// 128.
func bitsOf(t reflect.Type) int {
	switch t.Kind() {
	case reflect.Bool:
		return 1
	case reflect.String, reflect.Slice:
		return 64
	case reflect.Float32:
		return 20
	case reflect.Float64, reflect.Complex128:
		return 40
	case reflect.Complex64:
		return 20
	case reflect.Array:
		return min(128, t.Len()*bitsOf(t.Elem()))
	case reflect.Struct:
		sum := 0
		for f := range t.Fields() {
			if f.Name != "_" {
				sum = min(128, sum+bitsOf(f.Type))
			}
		}
		return sum
	}
	return 8 * int(t.Size())
}

// made returns the i-th value of type t. Different numbers yield different values, as long as the
// type has enough values. The first value, for i = 0, is the zero value.
func made(t reflect.Type, i int) any {
	v := reflect.New(t).Elem()
	n := uint64(i)
	fill(v, &n)
	return v.Interface()
}

// fill sets v from the low bits of n, and removes these bits from n.
func fill(v reflect.Value, n *uint64) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(*n&1 != 0)
		*n >>= 1
	case reflect.String:
		v.SetString(textOf(*n))
		*n = 0
	case reflect.Slice:
		if s := textOf(*n); s != "" { // the zero value stays nil
			v.SetBytes([]byte(s))
		}
		*n = 0
	case reflect.Float32, reflect.Float64:
		bits := bitsOf(v.Type())
		v.SetFloat(float64(*n&(1<<bits-1)) / 4)
		*n >>= bits
	case reflect.Complex64, reflect.Complex128:
		bits := bitsOf(v.Type())
		v.SetComplex(complex(0, float64(*n&(1<<bits-1))/4))
		*n >>= bits
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), n)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Name != "_" {
				fill(v.Field(i), n)
			}
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(numberOf(n, 8*v.Type().Size())))
	default:
		v.SetUint(numberOf(n, 8*v.Type().Size()))
	}
}

// numberOf removes the given number of low bits from n, and returns a number made from them. Every
// fourth wide number differs from its neighbors only in high bits.
func numberOf(n *uint64, bits uintptr) uint64 {
	x := *n & (math.MaxUint64 >> (64 - bits))
	*n = *n >> (bits / 2) >> (bits - bits/2)
	if bits >= 32 && x%4 == 3 {
		x = x<<(bits-20) | x>>20<<2 | 3
	}
	return x & (math.MaxUint64 >> (64 - bits))
}

// textOf returns the n-th string. Strings have up to 40 bytes, occasionally thousands, and share
// prefixes and suffixes.
func textOf(n uint64) string {
	switch {
	case n == 0:
		return ""
	case n%512 == 511:
		return fmt.Sprintf("%s%d", strings.Repeat("long ", int(n%3000)), n)
	case n%3 == 0:
		return fmt.Sprintf("%d/%s", n, strings.Repeat("x", int(n%31)))
	case n%3 == 1:
		return fmt.Sprintf("%s\x00%d", strings.Repeat("k", int(n%23)), n)
	}
	return fmt.Sprintf("%x", n)
}

// Package symbols maps strings to dense 32-bit numbers, from 1, and back. Parsers, compilers and
// indexes compare and store the numbers instead of the strings.
//
//	names := symbols.Must(symbols.New(symbols.Options{}))
//	defer names.Close()
//	s := names.Intern("width")   // the same Symbol for the same string
//	fmt.Println(names.String(s)) // width
//
// # Symbols and tables
//
// A Symbol is a number. In a different Table, the same number identifies a different string, or
// none. Symbols are never removed one by one, so a Table with untrusted input grows until
// Options.Max.
//
// # Costs
//
//   - A symbol costs 22 bytes outside the Go heap in a large Table, plus its string, which is
//     stored once. The collector sees a few hundred pointers for each shard and MiB, whatever the
//     number of symbols.
//   - Strings are on the Go heap, in chunks of 4 KiB to 1 MiB without pointers, which GOGC takes
//     into account but the collector does not scan. A string from a Table keeps its chunk alive.
//   - You must call Close. Otherwise the index stays until the process ends; store.Totals and the
//     profile "coppice" show it.
//   - A string must be shorter than 16 MiB. A Table holds at most 2^32-2 symbols.
//
// # When to use something else
//
// If the numbers are not needed, use package unique, which also frees strings that are no longer
// referenced. For a few thousand symbols in one goroutine, a map[string]uint32 and a []string are
// as good.
//
// # Concurrency
//
// Any number of goroutines may use a Table. Look-ups, including Intern of an existing string, take
// no lock and write nothing. Adding a new string takes the lock of one of 64 shards and, while the
// string is assigned a number, a lock that all shards share.
//
// # Why strings are on the Go heap
//
// The index is outside the Go heap, like a store: it can be mapped from a file, grows in place, and
// does not affect GOGC. The strings could be outside the Go heap too, but then a string from the
// Table would either become invalid at Close, or would have to be a copy, so that String, the most
// frequent call, would allocate. With chunks on the Go heap, a string is a view that costs nothing,
// never changes, and outlives the Table, and the collector frees the strings that a Clear dropped
// once they are no longer referenced. In return, opening a file copies its strings.
// docs/decisions/0032 has measurements.
//
// # How it works
//
//	hash of a string
//	+---------------+------------------+------------------+
//	| shard: 6 bits | page: upper bits | word: lower bits |
//	+---------------+------------------+------------------+
//
//	64 shards     directory     page                  places, by Symbol     chunk of strings
//	+-------+     +------+      +-----------------+   +------------+       +----------------+
//	|   0   | --> | page | ---> | hash | Symbol 2 |   | 1: 0 to 5  | ----> | widthheight... |
//	+-------+     +------+      |        0        |   | 2: 5 to 11 |       +----------------+
//	|  ...  |     | page |      | hash | Symbol 1 |   |    ...     |
//	+-------+     +------+      +-----------------+   +------------+
//
// Each of 64 shards has a directory of pages (shard.go). A page is an open hash table of up to 512
// words (pages.go); a word contains half of a hash and a symbol. The array of places, reserved once
// for the maximum number, records the location of the string of each symbol (text.go).
package symbols

// Package symbols numbers texts: each has one dense 32-bit number, from 1, and each number its
// text. Parsers, compilers and indexes compare and keep the numbers.
//
// # The main danger
//
// A Symbol is a number. Used with another Table it names another text there, or none. Symbols are
// never taken back one by one, so a Table that is fed by strangers grows until Options.Max.
//
// # The price
//
//   - A symbol costs 22 bytes outside the Go heap in a large Table, and its text, of which nothing
//     is kept twice. The collector sees a few hundred pointers for each shard and MiB, whatever the
//     count.
//   - Text lies in the Go heap, in chunks of 4 KiB to 1 MiB without pointers, which the collector
//     counts and does not scan. A string of a Table keeps its chunk alive.
//   - You must call Close. Otherwise the index stays until the process ends; store.Totals and the
//     profile "coppice" show it.
//   - A text has less than 16 MiB, and a Table at most 2^32-2 symbols.
//
// # When to use something else
//
// If nobody needs the numbers, package unique keeps texts apart and forgets those that nobody has.
// For a few thousand symbols of one goroutine a map[string]uint32 and a []string are as good.
//
// # Concurrency
//
// Any number of goroutines may use a Table. Look-ups, also those of Intern for a text that is
// there, take no lock and write nothing. New texts take the lock of a shard, one of 64, and a
// common one while they get their number.
//
// # Why text is in the Go heap
//
// The index is outside the Go heap, like a store: it is mapped from a file, grows in place, and is
// not counted by GOGC. Text could be there too. But then a string of the Table would end with
// Close, or be a copy: String would allocate, which is what most callers call most. In chunks of
// the Go heap a string is a view, costs nothing, never changes, and outlives the Table; and the
// collector frees what a Clear forgot when nobody has it. The price is that opening a file copies
// its text. docs/decisions/0032 has figures.
//
// # How it works
//
// Each of 64 shards has a directory of pages (shard.go). A page is an open hash table of up to 512
// words (pages.go), a word is half of a hash and a symbol. The array of places, reserved once for
// the greatest count, says where the text of a symbol is (text.go).
package symbols

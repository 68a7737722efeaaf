// Package traps contains only tests: one for each known defect of other allocators, named
// after it. docs/TRAPS.md is the list.
//
// A trap's test has one check. It must fail on a miniature allocator with exactly that defect,
// which shows that the check works. It must pass on the same miniature without the defect and on
// Coppice's allocators. The defect is the line marked "DEFECT:". If the design excludes a trap, the
// test's comment gives the reason.
package traps

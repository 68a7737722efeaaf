// Package traps has nothing but tests: one for each trap that other allocators fell
// into, named after it. docs/TRAPS.md is the list.
//
// A trap's test has one check. It must fail on a miniature allocator that is built with
// exactly that defect, so that it is seen to be able to, and pass on the same miniature
// without it and on Coppice's allocators. The defect is the line marked "DEFECT:". Where
// a trap cannot be there by construction, the test's comment says why.
package traps

// Package traps has no code, only tests: small modules that attack coppice fix, and what runs them.
//
// testdata/refuse has modules in which an edit would be wrong, and testdata/edit has modules in
// which it is right and must be made, so that safety is not bought by refusing everything. A module
// is an archive. Lines that end in //site:REMEDY are the sites of proposals; check/main.go prints
// what must be the same before and after. The comment of the archive says what is special and what
// is right. A line "may edit" in the comment allows an edit that keeps the output. A line "configs:
// GOOS=windows; -tags speculative" names other configurations that must build as they did, and
// print what they did where only tags differ. A line "arena: Parse" gives this function a form with
// an arena; lines that end in //site:arena are to come from it, and reset/main.go uses it, resets
// the arena, and must print what the check prints. A line "only: amd64" names the architectures
// that the module is for.
//
// go test -trap '^goroutine-' runs some of them, without known.txt. go test -run Generated
// -generate 2000 puts modules together from shapes of owners, twists and places; COPPICE_SEED=free
// makes others in each run, and known-generated.txt lists the kinds of them that are handled
// wrongly today.
//
// known.txt lists the modules that are handled wrongly today, and why. A module in that list that
// is handled well is a failure too.
package traps

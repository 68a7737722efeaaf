// Package traps contains only tests: small modules that are made to provoke wrong edits by coppice
// fix, and the tests that run them.
//
// testdata/refuse contains modules in which an edit would be wrong. testdata/edit contains
// modules in which an edit is right and must be made, so that refusing everything does not
// pass. A module is an archive. Lines that end in //site:REMEDY are the sites of proposals;
// check/main.go prints text that must be the same before and after the edit. The comment of the
// archive describes the trap and the right outcome. A line "may edit" in the comment allows an
// edit that keeps the output. A line "configs: GOOS=windows; -tags speculative" names other
// configurations. They must still build, and must print the same text if only their tags
// differ. A line "arena: Parse" gives this function a form with an arena; values of lines that
// end in //site:arena must come from the arena. reset/main.go uses the form, resets the arena,
// and must print what check/main.go prints. A line "only: amd64" names the architectures that
// the module is for.
//
// go test -trap '^goroutine-' runs the modules whose names match, and does not use known.txt. go
// test -run Generated -generate 2000 composes modules from shapes of owners, twists and places;
// with COPPICE_SEED=free it generates different ones in each run. known-generated.txt lists the
// kinds of generated modules that are handled wrongly today.
//
// known.txt lists the modules that are handled wrongly today, and the reasons. A test also fails if
// a module in that list is handled correctly.
package traps

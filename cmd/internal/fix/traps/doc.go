// Package traps contains only tests. They run coppice fix on small modules that are made to provoke
// wrong edits.
//
// testdata/refuse contains modules in which an edit would be wrong. testdata/edit contains modules
// in which an edit is right and must be made, so that refusing everything does not pass. Each
// module is an archive. Lines that end in //site:REMEDY are the sites of proposals. The output of
// check/main.go must be the same before and after the edit. The comment of the archive describes
// the trap and the right outcome. The line "may edit" in the comment allows an edit that does not
// change the output. The line "configs: GOOS=windows; -tags speculative" names other
// configurations. They must still build, and must print the same output if only their tags differ.
// The line "arena: Parse" requests a variant of this function that takes an arena; values in lines
// that end in //site:arena must come from the arena. reset/main.go calls that variant, resets the
// arena, and must print the same output as check/main.go. The line "only: amd64" names the
// architectures for which the module is meant.
//
// go test -trap '^goroutine-' runs the modules whose names match, and ignores known.txt. go test
// -run Generated -generate 2000 composes modules from shapes of owners, twists and places; with
// COPPICE_SEED=free it generates different modules in each run. known-generated.txt lists the kinds
// of generated modules that are handled wrongly today.
//
// known.txt lists the modules that are handled wrongly today, with the reasons. A test also fails
// if a module in that list is handled correctly, so that the list stays up to date.
package traps

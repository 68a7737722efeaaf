// Package profiles contains only tests. They read the library's profiles with pprof's own package,
// which the library itself does not require.
package profiles

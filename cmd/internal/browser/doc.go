// Package browser tests pages in a real browser. It is only for tests with the build tag browser,
// because the browser driver takes a long time to compile.
package browser

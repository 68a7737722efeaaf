// Package browser shows pages to a real browser. It is for tests with the build tag browser: the
// driver of the browser takes a long time to compile.
package browser

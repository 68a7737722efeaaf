// The C++ twin is a module of its own: a Go program that imports the library does not download it.
module github.com/coppice-go/coppice/cpp

go 1.26.0

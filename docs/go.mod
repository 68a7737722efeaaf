// The documents are a module of their own: a program that imports the library does not download them.
module github.com/coppice-go/coppice/docs

go 1.26.0

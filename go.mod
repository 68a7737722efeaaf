module github.com/coppice-go/coppice

go 1.26.0

require (
	golang.org/x/sys v0.22.0
	pgregory.net/rapid v1.1.0
)

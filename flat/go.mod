module github.com/coppice-go/coppice/flat

go 1.26.0

require (
	github.com/coppice-go/coppice v0.1.0
	pgregory.net/rapid v1.1.0
)

require golang.org/x/sys v0.22.0 // indirect

module github.com/coppice-go/coppice/workloads/foreign/iradix

go 1.26.0

require (
	github.com/coppice-go/coppice/workloads v0.1.0
	github.com/hashicorp/go-immutable-radix v1.3.1
)

require (
	github.com/coppice-go/coppice v0.1.0 // indirect
	github.com/hashicorp/golang-lru v0.5.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace (
	github.com/coppice-go/coppice => ../../..
	github.com/coppice-go/coppice/flat => ../../../flat
	github.com/coppice-go/coppice/workloads => ../..
)

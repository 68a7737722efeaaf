module github.com/coppice-go/coppice/workloads/service/go

go 1.26.0

require (
	github.com/coppice-go/coppice v0.1.0
	github.com/coppice-go/coppice/examples v0.1.0
	github.com/coppice-go/coppice/workloads v0.1.0
)

replace (
	github.com/coppice-go/coppice => ../../..
	github.com/coppice-go/coppice/examples => ../../../examples
	github.com/coppice-go/coppice/flat => ../../../flat
	github.com/coppice-go/coppice/workloads => ../..
)

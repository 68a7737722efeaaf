module github.com/coppice-go/coppice/workloads/foreign/goja

go 1.26.0

require (
	github.com/coppice-go/coppice v0.1.0
	github.com/coppice-go/coppice/workloads v0.1.0
)

replace (
	github.com/coppice-go/coppice => ../../..
	github.com/coppice-go/coppice/workloads => ../..
)

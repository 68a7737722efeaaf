module github.com/coppice-go/coppice/workloads/foreign/goja

go 1.26.0

require (
	github.com/coppice-go/coppice v0.1.0
	github.com/coppice-go/coppice/workloads v0.1.0
	github.com/dop251/goja v0.0.0-20260917113740-793a2a65c13b
)

replace (
	github.com/coppice-go/coppice => ../../..
	github.com/coppice-go/coppice/workloads => ../..
)

module github.com/coppice-go/coppice/workloads/foreign/gomarkov

go 1.26.0

require (
	github.com/coppice-go/coppice v0.1.0
	github.com/coppice-go/coppice/workloads v0.1.0
	github.com/mb-14/gomarkov v0.0.0-20231120193207-9cbdc8df67a8
)

require golang.org/x/sys v0.49.0 // indirect

replace (
	github.com/coppice-go/coppice => ../../..
	github.com/coppice-go/coppice/flat => ../../../flat
	github.com/coppice-go/coppice/workloads => ../..
)

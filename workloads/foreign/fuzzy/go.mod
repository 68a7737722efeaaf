module github.com/coppice-go/coppice/workloads/foreign/fuzzy

go 1.26.0

require (
	github.com/coppice-go/coppice v0.1.0
	github.com/coppice-go/coppice/workloads v0.1.0
	github.com/sajari/fuzzy v1.0.0
)

require golang.org/x/sys v0.49.0 // indirect

replace (
	github.com/coppice-go/coppice => ../../..
	github.com/coppice-go/coppice/flat => ../../../flat
	github.com/coppice-go/coppice/workloads => ../..
)

module github.com/coppice-go/coppice/workloads/jsast/go

go 1.26.0

require (
	github.com/coppice-go/coppice v0.1.0
	github.com/coppice-go/coppice/flat v0.1.0
	github.com/coppice-go/coppice/workloads v0.1.0
	github.com/tdewolff/parse/v2 v2.8.20
)

require golang.org/x/sys v0.49.0 // indirect

replace (
	github.com/coppice-go/coppice => ../../..
	github.com/coppice-go/coppice/flat => ../../../flat
	github.com/coppice-go/coppice/workloads => ../..
)

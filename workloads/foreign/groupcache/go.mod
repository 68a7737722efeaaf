module github.com/coppice-go/coppice/workloads/foreign/groupcache

go 1.26.0

require (
	github.com/coppice-go/coppice v0.1.0
	github.com/coppice-go/coppice/workloads v0.1.0
	github.com/golang/groupcache v0.0.0-20241129210726-2c02b8208cf8
	github.com/maypok86/otter/v2 v2.4.0
)

require (
	github.com/golang/protobuf v1.5.4 // indirect
	golang.org/x/sys v0.49.0 // indirect
	google.golang.org/protobuf v1.33.0 // indirect
)

replace (
	github.com/coppice-go/coppice => ../../..
	github.com/coppice-go/coppice/flat => ../../../flat
	github.com/coppice-go/coppice/workloads => ../..
)

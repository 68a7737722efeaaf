module github.com/coppice-go/coppice/workloads/index/go

go 1.26.0

require (
	github.com/cockroachdb/swiss v0.0.0-20260820225851-333444432258
	github.com/coppice-go/coppice v0.1.0
	github.com/coppice-go/coppice/workloads v0.1.0
	github.com/dolthub/swiss v0.2.1
	github.com/google/btree v1.1.3
	github.com/puzpuzpuz/xsync/v4 v4.5.0
	github.com/tidwall/btree v1.8.2
)

require (
	github.com/HdrHistogram/hdrhistogram-go v1.4.0 // indirect
	github.com/dolthub/maphash v0.1.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace (
	github.com/coppice-go/coppice => ../../..
	github.com/coppice-go/coppice/flat => ../../../flat
	github.com/coppice-go/coppice/workloads => ../..
)

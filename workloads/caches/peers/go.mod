module github.com/coppice-go/coppice/workloads/caches/peers

go 1.26.0

require (
	github.com/VictoriaMetrics/fastcache v1.13.0
	github.com/Yiling-J/theine-go v0.6.3
	github.com/allegro/bigcache/v3 v3.1.0
	github.com/coocood/freecache v1.2.7
	github.com/coppice-go/coppice v0.1.0
	github.com/coppice-go/coppice/workloads v0.1.0
	github.com/dgraph-io/ristretto/v2 v2.4.2
	github.com/hashicorp/golang-lru/arc/v2 v2.0.7
	github.com/hashicorp/golang-lru/v2 v2.0.7
	github.com/maypok86/otter/v2 v2.4.0
)

require (
	github.com/HdrHistogram/hdrhistogram-go v1.4.0 // indirect
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/dustin/go-humanize v1.1.0 // indirect
	github.com/golang/snappy v1.0.0 // indirect
	github.com/klauspost/cpuid/v2 v2.0.9 // indirect
	github.com/zeebo/xxh3 v1.0.2 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace (
	github.com/coppice-go/coppice => ../../..
	github.com/coppice-go/coppice/flat => ../../../flat
	github.com/coppice-go/coppice/workloads => ../..
)

//go:build coppice_cache || coppice_otter

package main

import (
	_ "github.com/maypok86/otter/v2"       // changes/otter.diff makes groupcache use it
	_ "github.com/maypok86/otter/v2/stats" // likewise

	_ "github.com/coppice-go/coppice/cache" // changes/cache.diff makes groupcache use it
)

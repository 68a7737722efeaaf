//go:build coppice_index

package main

import _ "github.com/coppice-go/coppice/hashmap" // changes/index.diff makes fuzzy use it

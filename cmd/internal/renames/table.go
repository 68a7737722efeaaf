package renames

const root = "github.com/coppice-go/coppice/"

// A name is an entry of the table: an old name of Coppice and the new name.
type name struct {
	pkg    string   // path of the package, relative to root
	owners []string // types that have the method or field; none for package-level names
	old    string
	now    string
}

// table lists the names that changed. The functions whose parameters also changed are in calls.go.
var table = []name{
	{"slab", []string{"Slab", "Chunks"}, "Put", "Alloc"},
	{"slab", []string{"Slab", "Chunks"}, "List", "SliceOf"},
	{"slab", []string{"Options"}, "First", "FirstChunk"},
	{"slab", []string{"Options", "ChunkOptions"}, "Max", "MaxChunk"},
	{"slab", []string{"Stats"}, "Lost", "Wasted"},
	{"slab", []string{"Stats"}, "Bytes", "Size"},
	{"arena", nil, "Put", "Alloc"},
	{"arena", nil, "List", "SliceOf"},
	{"arena", []string{"Arena"}, "Put", "Alloc"}, // methods with Go 1.27 and later
	{"arena", []string{"Arena"}, "List", "SliceOf"},
	{"arena", []string{"Arena"}, "Held", "Size"},
	{"arena", []string{"Stats"}, "Lost", "Wasted"},
	{"arena", []string{"Stats"}, "Held", "Size"},
	{"store", nil, "Open", "New"},
	{"store", nil, "OpenHandles", "NewHandles"},
	{"store", []string{"Store", "Writer", "Handles"}, "Put", "Alloc"},
	{"store", []string{"Store"}, "TryPut", "TryAlloc"},
	{"store", []string{"Store"}, "PutText", "AllocText"},
	{"store", []string{"Store", "Handles"}, "Del", "Delete"},
	{"inline", []string{"Vec"}, "AppendAll", "AppendSlice"},
	{"inline", []string{"Vec"}, "Reset", "Clear"},
	{"hashmap", nil, "Open", "New"},
	{"hashmap", nil, "OpenSharded", "NewSharded"},
	{"hashmap", []string{"Map", "Sharded"}, "Reset", "Clear"},
	{"hashmap", nil, "ErrDamaged", "ErrInvalid"},
	{"btree", nil, "Open", "New"},
	{"btree", nil, "OpenFunc", "NewFunc"},
	{"btree", []string{"Map"}, "Reset", "Clear"},
	{"btree", []string{"Map", "Snapshot"}, "From", "Ascend"},
	{"btree", []string{"Map", "Snapshot"}, "Down", "Descend"},
	{"btree", []string{"Map"}, "Load", "AppendSorted"},
	{"btree", nil, "ErrDamaged", "ErrInvalid"},
	{"cache", nil, "Open", "New"},
	{"cache", nil, "Forever", "NoExpiry"},
	{"cache", []string{"Cache"}, "SetFor", "SetTTL"},
	{"cache", []string{"Cache"}, "Reset", "Clear"},
	{"cache", []string{"Stats"}, "Entries", "Len"},
	{"symbols", nil, "Open", "New"},
	{"symbols", []string{"Table"}, "Reset", "Clear"},
	{"symbols", []string{"Stats"}, "Symbols", "Len"},
	{"maptest", []string{"Map"}, "Reset", "Clear"},
	{"maptest", nil, "ResetTakesAll", "ClearTakesAll"},
	{"alloctest", []string{"Allocator"}, "Put", "Alloc"},
	{"alloctest", []string{"Allocator"}, "TryPut", "TryAlloc"},
	{"alloctest", []string{"Allocator"}, "Del", "Delete"},
}

// gone maps each name that was removed without a replacement to advice on what to use instead. A
// key contains the package, the owner and the name.
var gone = map[string]string{
	root + "cache.Options.Now": "testing/synctest has a clock for tests",
}

// names maps each old name in the table, with its package and its owner, to the new name.
var names = func() map[string]string {
	all := map[string]string{}
	for _, n := range table {
		for _, owner := range n.owners {
			all[root+n.pkg+"."+owner+"."+n.old] = n.now
		}
		if n.owners == nil {
			all[root+n.pkg+"."+n.old] = n.now
		}
	}
	return all
}()

package flat

// LoadLimits limit what Load, Read, Open, FromTree and ToTree accept. A field of 0 selects its
// default.
type LoadLimits struct {
	// MaxDepth limits the number of levels; the root is level 1. The default is 10,000.
	MaxDepth int
	// MaxNodes limits the number of records. The default is 2^28.
	MaxNodes int
	// MaxWalk limits the number of nodes that a traversal of a loaded tree visits. It matters only
	// for schemas with flat:share, and only for traversals that do not record which nodes they have
	// visited, such as recursion and Preorder. Such a traversal visits a node with several parents
	// once for each path to the node, and a file of 500 bytes can have 2^40 paths. The default is
	// 2^22 plus 64 per record. All, Fold, Compact and the conversions visit each node once. If a
	// program uses only such traversals, set MaxWalk to math.MaxInt to disable the limit.
	MaxWalk int
	// MaxBytes limits the size of the file. The default is 16 GiB, which is less than 2^32 words.
	MaxBytes int64
}

// BuilderOptions contains the expected size of a tree and the limits of a Builder. A field of 0
// selects its default.
type BuilderOptions struct {
	Nodes     int   // the expected number of nodes: memory for them is allocated at once
	TextBytes int   // the expected total length of all strings
	MaxBytes  int64 // the limit for records and strings, as in the file; the default is 16 GiB
}

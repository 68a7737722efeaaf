package flat

// LoadLimits limits what Load, Read, Open, FromTree and ToTree accept. A field that is 0 selects
// its default.
type LoadLimits struct {
	// MaxDepth is the maximum number of levels; the root is level 1. The default is 10,000.
	MaxDepth int
	// MaxNodes is the maximum number of records. The default is 2^28.
	MaxNodes int
	// MaxWalk is the maximum number of nodes that a traversal of a loaded tree visits. It applies
	// only to schemas with flat:share, and only to traversals that do not record which nodes they
	// have visited, such as recursion and Preorder. Such a traversal visits a node with several
	// parents once for each path to the node, and a file of 500 bytes can have 2^40 paths. The
	// default is 2^22 plus 64 per record. All, Fold, Compact and the conversions visit each node
	// once. A program that uses only these may set MaxWalk to math.MaxInt to disable the limit.
	MaxWalk int
	// MaxBytes is the maximum size of the file. The default is 16 GiB, which is less than 2^32
	// words.
	MaxBytes int64
}

// BuilderOptions contains the expected size of a tree and the limits of a Builder. A field that is
// 0 selects its default.
type BuilderOptions struct {
	Nodes     int   // the expected number of nodes: memory for them is allocated at once
	TextBytes int   // the expected total length of all strings
	MaxBytes  int64 // the limit for records and strings, as in the file; the default is 16 GiB
}

package own

// names are what a package calls the type of the fields, and those of its methods that have had
// other names.
type names struct{ typ, alloc, sliceOf string }

// allNames are the names that a package may have from an earlier change; two methods had others at
// first. A new type gets the first that the package can declare.
var allNames = []names{
	{"chunks", "Alloc", "SliceOf"}, {"coppiceChunks", "Alloc", "SliceOf"},
	{"chunks", "Put", "List"}, {"coppiceChunks", "Put", "List"},
}

// method returns what the package calls a method of the source.
func (n names) method(name string) string {
	switch name {
	case "Alloc":
		return n.alloc
	case "SliceOf":
		return n.sliceOf
	}
	return name
}

// A chunksType is the type of the fields in a package whose module does not require Coppice.
type chunksType struct {
	names
	file    string   // where an earlier change has written it; empty if there is none
	methods []string // that it has from there, of those that are parts, by their names in the source
}

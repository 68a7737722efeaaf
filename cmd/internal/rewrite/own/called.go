package own

// names contains the names that a package uses for the type of the fields, and for the two methods
// whose names have changed since earlier versions.
type names struct{ typ, alloc, sliceOf string }

// allNames lists the names that an earlier change may have used in a package. Two methods have been
// renamed since the first version. A new type gets the first names that the package can declare.
var allNames = []names{
	{"chunks", "Alloc", "SliceOf"}, {"coppiceChunks", "Alloc", "SliceOf"},
	{"chunks", "Put", "List"}, {"coppiceChunks", "Put", "List"},
}

// method returns the name that the package uses for a method. The parameter is the name of the
// method in the source (package chunks).
func (n names) method(name string) string {
	switch name {
	case "Alloc":
		return n.alloc
	case "SliceOf":
		return n.sliceOf
	}
	return name
}

// A chunksType describes the type of the fields in a package whose module does not require Coppice.
type chunksType struct {
	names
	file    string   // name of the file that an earlier change has written; empty if none
	methods []string // names of the optional methods in that file, as in the source
}

package show

import "github.com/coppice-go/coppice/cmd/internal/site"

// A remedy says what a rule of SARIF logs asks for.
type remedy struct {
	site.Remedy
	title string
	help  string
}

// remedies are all but site.Leave.
var remedies = []remedy{
	{site.AvoidCopy, "The copy can be avoided", "The value is a copy of data that does not change. Read the original, or use a function that copies nothing."},
	{site.OneArray, "Several makes can share one array", "Small makes of equal fate stand side by side. Make one array, and cut it with full slice expressions."},
	{site.Presize, "The final length is known", "The slice grows although its length is known beforehand. Make it with that capacity."},
	{site.Scratch, "A scratch buffer can hold the growing slice", "The slice grows to a length that nobody knows, and is then kept. Grow a buffer that is reused, and copy the final elements to a slab."},
	{site.Inline, "A few elements can live inside of the value", "The slice has few elements. Keep the first ones inside of the value that holds it: inline.Vec."},
	{site.Intern, "Equal strings can be one", "Many of the strings are equal. Keep one of each in a table."},
	{site.Reuse, "The value can be used again", "The value is dead before the operation ends. Keep it in a field, or in pool.Pool if several goroutines take part."},
	{site.Slab, "A slab can hold the values", "Many small values of one type live as long as the result. Cut them from chunks: a slab.Slab in the value that makes them. One held value keeps its chunk."},
	{site.Arena, "An arena can hold the values", "Values of several types end together, when the operation does. Put them into an arena.Arena, and reset it then."},
	{site.Store, "A store can hold the values", "Many values without foreign pointers live long, and the collector marks them each time. Put them into a store.Store, which it does not look at."},
	{site.Flat, "A flat tree can hold the values", "The tree is built once and read often. Compile its type with coppice flat."},
	{site.Concrete, "A concrete type needs no box", "A value is put into an interface, which allocates. Pass a pointer or a concrete type."},
}

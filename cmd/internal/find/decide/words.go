package decide

import "github.com/coppice-go/coppice/cmd/internal/site"

// prices are what each remedy costs besides work. That of a slab names its type.
var prices = map[site.Remedy][]string{
	site.AvoidCopy: {"what shares memory with its origin changes with it, and keeps it alive"},
	site.OneArray:  {"one part that is held keeps the others alive"},
	site.Presize:   {"where the length is known too high, the rest of the array is never used"},
	site.Scratch:   {"the scratch slice keeps the length that it once had", "whoever keeps it instead of a copy sees the next values"},
	site.Inline:    {"every struct with such a field has the room, used or not", "a copy of the struct copies the values"},
	site.Intern:    {"the table keeps its strings: empty it where the input ends, or bound it"},
	site.Reuse:     {"whoever uses a value after it was handed back sees the next one", "what is kept for reuse is not free between operations"},
	site.Slab:      {"a slab is for one goroutine, and its owner for one result"},
	site.Arena:     {"values are worthless after Reset: who keeps one sees the next ones", "the most that an operation took stays taken"},
	site.Store:     {"links are refs instead of pointers, and records are freed by hand", "strings become texts of the store, and a record has no slices and maps"},
	site.Flat:      {"a generated package stands for the type", "the tree is built once; a change builds it anew"},
	site.Concrete:  {"the function takes one type, or has a copy for each"},
}

// conditionsOf are what must be so for the estimate of a remedy, and what no measurement showed.
var conditionsOf = map[site.Remedy][]string{
	site.AvoidCopy: {"most of the data is unchanged, and nobody writes to what is shared"},
	site.OneArray:  {"the arrays are made and dropped together"},
	site.Presize:   {"the length that is known is the final one for most slices"},
	site.Scratch:   {"nobody keeps the scratch slice itself"},
	site.Inline:    {"most of the slices stay as short as they are"},
	site.Intern:    {"the strings repeat as often as those that were looked at"},
	site.Reuse:     {"nobody holds the value after the operation, and what keeps it lives longer than that"},
	site.Slab:      {"one goroutine at a time uses the owner"},
	site.Arena:     {"nobody holds a value after the operation"},
	site.Store:     {"what marking saves comes on top"},
	site.Flat:      {"what marking saves comes on top", "the tree is read more often than built"},
	site.Concrete:  {"the function is called with one type, or few"},
}

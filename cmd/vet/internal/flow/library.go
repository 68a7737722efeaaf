package flow

// A Kind classifies a value by its relation to its owner.
type Kind int

// Values of Kind. A result of kind Nothing has no owner.
const (
	Nothing Kind = iota
	Memory       // a pointer to, a slice of or a string in the owner's memory
	Ref          // a number that names a record, unchecked
	Handle       // a number that names a record; the owner checks it
	Text         // a number that names a string
	Whole        // the owner itself, or a part of it
)

// An Ending states which values of the receiver a call ends.
type Ending int

// Values of Ending.
const (
	EndsNothing   Ending = iota
	EndsAll              // every value
	EndsRecord           // the values of the record that the first argument names
	EndsSinceMark        // the values made after the Mark in the first argument
)

// An Effect describes how a call into the library affects the lifetimes of values.
type Effect struct {
	Gives  []Kind // of each result
	Named  bool   // the result is the record that the first argument names
	OneNew bool   // the results are one record: its name and its memory
	Grows  bool   // the result may be an older value that grew in place
	Takes  []Kind // of each argument
	Ends   Ending
}

// Effects contains the calls that return, accept or end values, by type and name. Release of a Slab
// or an Arena does not end values, because values that the program still references stay valid.
// Trim does not end live values, and Reset of a Builder or an Interner does not end texts. The
// result of Export and the values of a slab.Chunks have no owner. The values that Put of a pool
// ends are determined in ended.go. TestEffectsExist compares the table with the packages.
var Effects = map[string]Effect{
	"store.Store.At":           {Gives: []Kind{Memory}, Takes: []Kind{Ref}, Named: true},
	"store.Store.Slice":        {Gives: []Kind{Memory}},
	"store.Store.Alloc":        {Gives: []Kind{Ref}, OneNew: true},
	"store.Store.TryAlloc":     {Gives: []Kind{Ref, Nothing}, OneNew: true},
	"store.Store.New":          {Gives: []Kind{Ref, Memory}, OneNew: true},
	"store.Store.Make":         {Gives: []Kind{Ref, Memory}},
	"store.Store.AllocText":    {Gives: []Kind{Text}},
	"store.Store.TryAllocText": {Gives: []Kind{Text, Nothing}},
	"store.Store.TextBytes":    {Gives: []Kind{Memory}, Takes: []Kind{Text}},
	"store.Store.Text":         {Takes: []Kind{Text}},
	"store.Store.Delete":       {Takes: []Kind{Ref}, Ends: EndsRecord},
	"store.Store.Reset":        {Ends: EndsAll},
	"store.Store.Close":        {Ends: EndsAll},
	"store.Store.CopyFrom":     {Ends: EndsAll},

	"store.Writer.Alloc":    {Gives: []Kind{Ref}, OneNew: true},
	"store.Writer.TryAlloc": {Gives: []Kind{Ref, Nothing}, OneNew: true},
	"store.Writer.New":      {Gives: []Kind{Ref, Memory}, OneNew: true},
	"store.Writer.Make":     {Gives: []Kind{Ref, Memory}},

	"store.Handles.Get":      {Gives: []Kind{Memory, Nothing}, Takes: []Kind{Handle}, Named: true},
	"store.Handles.Alloc":    {Gives: []Kind{Handle}, OneNew: true},
	"store.Handles.TryAlloc": {Gives: []Kind{Handle, Nothing}, OneNew: true},
	"store.Handles.New":      {Gives: []Kind{Handle, Memory}, OneNew: true},
	"store.Handles.Delete":   {Takes: []Kind{Handle}, Ends: EndsRecord},
	"store.Handles.Reset":    {Ends: EndsAll},
	"store.Handles.Close":    {Ends: EndsAll},

	"slab.Slab.New":     {Gives: []Kind{Memory}},
	"slab.Slab.Make":    {Gives: []Kind{Memory}},
	"slab.Slab.SliceOf": {Gives: []Kind{Memory}},
	"slab.Slab.Alloc":   {Gives: []Kind{Memory}},
	"slab.Slab.Extend":  {Gives: []Kind{Memory, Nothing}, Grows: true},
	"slab.Slab.Reset":   {Ends: EndsAll},
	"slab.Slab.Rewind":  {Ends: EndsSinceMark},

	"arena.Arena.New":         {Gives: []Kind{Memory}},
	"arena.Arena.Make":        {Gives: []Kind{Memory}},
	"arena.Arena.Copy":        {Gives: []Kind{Memory}},
	"arena.Arena.Grow":        {Gives: []Kind{Memory}, Grows: true},
	"arena.Arena.Append":      {Gives: []Kind{Memory}, Grows: true},
	"arena.Arena.Clone":       {Gives: []Kind{Memory}},
	"arena.Arena.String":      {Gives: []Kind{Memory}},
	"arena.Arena.CloneString": {Gives: []Kind{Memory}},
	"arena.Arena.Concat":      {Gives: []Kind{Memory}},
	"arena.Arena.Join":        {Gives: []Kind{Memory}},
	"arena.Arena.SliceOf":     {Gives: []Kind{Memory}},
	"arena.Arena.Alloc":       {Gives: []Kind{Memory}},
	"arena.Arena.Reset":       {Ends: EndsAll},
	"arena.Arena.Rewind":      {Ends: EndsSinceMark},

	"arena.Builder.String":  {Gives: []Kind{Memory}},
	"arena.Builder.Bytes":   {Gives: []Kind{Memory}},
	"arena.Interner.Bytes":  {Gives: []Kind{Memory}},
	"arena.Interner.String": {Gives: []Kind{Memory}},
}
